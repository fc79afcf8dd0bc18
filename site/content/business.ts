/*
 * What several parts of the page repeat. Change it here, and the page, the picture of shared links and what
 * search engines read follow.
 */

/** The name of the business: the header, the footer, the browser's tab, shared links. */
export const brand = {
  name: 'Blueprint Operations',
} as const;

/** How soon you answer, as it ends a sentence: “I reply within 24 hours.” Written {reply} in the other files. */
export const replyTime = 'within 24 hours';

export const business = {
  /** Where you are based. Written {country} in the other files. */
  country: 'Canada',
  /** The same in two letters, for search engines: https://www.iso.org/obp/ui/#search/code */
  countryCode: 'CA',
  /** Where your clients are, for search engines: one word or place, such as Worldwide or Ontario. */
  serves: 'Worldwide',
  /** The currency of all prices, in three letters. Written {currency} in the other files. */
  currency: 'CAD',
};
