import { REPLY_HOURS } from '../../contract/promise.ts';
import { currency, group, matching, type Of, plainWords } from '../ui/shape.ts';

// Used in several places: change it here, and the page, shared links and search results follow.

/** The name of the business: the header, the footer, the browser's tab, shared links. */
export const brand: Of<typeof shape.brand> = {
  name: 'Blueprint Operations',
};

/**
 * How soon you answer, worded as the end of a sentence: “I reply within 24 hours.” Other files call it {reply}. The
 * number is in contract/promise.ts, since the desk goes by it to tell you who has waited too long.
 */
export const replyTime: Of<typeof shape.replyTime> = `within ${REPLY_HOURS} hours`;

export const business: Of<typeof shape.business> = {
  /** Where you're based. Other files call it {country}. */
  country: 'Canada',
  /** The same country in two letters, for search engines: https://www.iso.org/obp/ui/#search/code */
  countryCode: 'CA',
  /** Where your clients are, for search engines: one word or place, such as Worldwide or Ontario. */
  serves: 'Worldwide',
  /** The currency of all prices, in three letters. Other files call it {currency}, and {currencyName} in words. */
  currency: 'CAD',
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  brand: group({ name: plainWords }),
  replyTime: plainWords,
  business: group({
    country: plainWords,
    countryCode: matching(plainWords, /^[A-Z]{2}$/, 'must be two capital letters, such as CA'),
    serves: plainWords,
    currency,
  }),
};
