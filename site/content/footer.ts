/** The foot of the page. */
export const footer = {
  linksLabel: 'Quick links',
  /** Links to parts of the page: what the visitor reads, and the id of the part. */
  links: [
    { label: 'Home', id: 'hero-banner' },
    { label: 'Services', id: 'service-pillars' },
    { label: 'Packages', id: 'blueprint-journey' },
    { label: 'Contact', id: 'lets-map-your-blueprint' },
  ],
  place: 'Based in {country}',
  /** Two pages that do not exist yet. Put their whole addresses in place of "#" once they do. */
  legal: {
    terms: { label: 'Terms & Conditions', href: '#' },
    privacy: { label: 'Privacy Policy', href: '#' },
  },
};
