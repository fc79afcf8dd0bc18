import { group, list, matching, type Of, partLink, plainWords, words } from '../ui/shape.ts';

/** The footer. */
export const footer: Of<typeof shape.footer> = {
  /** Screen readers say this before the links. */
  linksLabel: 'Quick links',
  /** Links to parts of the page: the text, and the id of the part. */
  links: [
    { label: 'Home', id: 'hero-banner' },
    { label: 'Services', id: 'service-pillars' },
    { label: 'Packages', id: 'blueprint-journey' },
    { label: 'Contact', id: 'lets-map-your-blueprint' },
  ],
  /** Where you're based. {country} is in business.ts. */
  place: 'Based in {country}',
  /** Two pages that don't exist yet. Once they do, replace each "#" with the page's full address. */
  legal: {
    terms: { label: 'Terms & Conditions', href: '#' },
    privacy: { label: 'Privacy Policy', href: '#' },
  },
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
const address = group({
  label: words,
  href: matching(
    plainWords,
    /^(#|https?:\/\/\S+|mailto:\S+)$/,
    'must be a whole address that begins with https://, or "#" for none',
  ),
});
export const shape = {
  footer: group({
    linksLabel: words,
    links: list(partLink),
    place: words,
    legal: group({ terms: address, privacy: address }),
  }),
};
