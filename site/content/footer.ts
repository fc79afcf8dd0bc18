/** The foot of the page. */
export const footer = {
  /** Read out by screen readers before the links. */
  linksLabel: 'Quick links',
  /** Links to parts of the page: what the visitor reads, and the id of the part. */
  links: [
    { label: 'Home', id: 'hero-banner' },
    { label: 'Services', id: 'service-pillars' },
    { label: 'Packages', id: 'blueprint-journey' },
    { label: 'Contact', id: 'lets-map-your-blueprint' },
  ],
  /** Where you are. {country} is in business.ts. */
  place: 'Based in {country}',
  /** Two pages that do not exist yet. Put their whole addresses in place of "#" once they do. */
  legal: {
    terms: { label: 'Terms & Conditions', href: '#' },
    privacy: { label: 'Privacy Policy', href: '#' },
  },
};
