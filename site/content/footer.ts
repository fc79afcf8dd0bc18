import {
  group,
  labelled,
  list,
  matching,
  type Of,
  partLink,
  plainWords,
  withTraits,
  words,
} from '../ui/shape.ts';

export const footer: Of<typeof shape.footer> = {
  linksLabel: 'Quick links',
  links: [
    { label: 'Home', id: 'hero-banner' },
    { label: 'Services', id: 'service-pillars' },
    { label: 'Packages', id: 'blueprint-journey' },
    { label: 'Contact', id: 'lets-map-your-blueprint' },
  ],
  place: 'Based in {country}',
  /** Two pages that don't exist yet. Once they do, replace each "#" with the page's full address. */
  legal: {
    terms: { label: 'Terms & Conditions', href: '#' },
    privacy: { label: 'Privacy Policy', href: '#' },
  },
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
const address = group({
  label: labelled(words, 'Words of the link'),
  href: withTraits(
    matching(
      plainWords,
      /^(#|https?:\/\/\S+|mailto:\S+)$/,
      'must be a whole address that begins with https://, or # for none',
    ),
    { fixed: true },
  ),
});
export const shape = {
  footer: labelled(
    group({
      linksLabel: labelled(words, 'Name of the links', 'Screen readers say this before them.'),
      links: list(partLink),
      place: labelled(words, 'Where you’re based'),
      legal: labelled(
        group({ terms: labelled(address, 'Terms'), privacy: labelled(address, 'Privacy') }),
        'Terms and privacy',
      ),
    }),
    'Bottom of the page',
  ),
};
