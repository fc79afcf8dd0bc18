import { fieldOf, group, list, matching, named, type Of, partLink, plain, words } from '../ui/shape.ts';

export const footer: Of<typeof shape.footer> = {
  linksLabel: 'Quick links',
  links: [
    { label: 'Home', id: 'hero-banner' },
    { label: 'Services', id: 'service-pillars' },
    { label: 'Packages', id: 'blueprint-journey' },
    { label: 'Contact', id: 'lets-map-your-blueprint' },
  ],
  place: 'Based in {country}',
  legal: {
    terms: { label: 'Terms & Conditions', href: '#' },
    privacy: { label: 'Privacy Policy', href: '#' },
  },
};

const address = group({
  label: words('Link text'),
  href: matching(
    plain,
    /^(#|https?:\/\/\S+|mailto:\S+)$/i,
    'must be a full address that begins with https://, or # for none',
  )(
    'Its address, if you have such a page elsewhere',
    'It begins with https://. With #, the link leads to this site’s own page, once you turn that on.',
  ),
});
export const shape = {
  footer: named('Bottom of the page', {
    linksLabel: words('Name of the links', 'Screen readers say this before them.'),
    links: list(partLink())(),
    place: words('Where you’re based'),
    legal: named('Terms and privacy', {
      terms: fieldOf(address)('Terms'),
      privacy: fieldOf(address)('Privacy'),
    }),
  }),
};
