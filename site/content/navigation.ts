import { list, named, type Of, partLink, plain } from '../ui/shape.ts';

export const navigation: Of<typeof shape.navigation> = {
  label: 'Main',
  links: [
    { label: 'Home', id: 'hero-banner' },
    { label: 'How It Works', id: 'process-overview' },
    { label: 'Services', id: 'service-pillars' },
    { label: 'Packages', id: 'blueprint-journey' },
    { label: 'About', id: 'about-founder' },
    { label: 'Contact', id: 'lets-map-your-blueprint' },
  ],
  callToAction: { label: 'Let’s Find & Fix My Bottlenecks', id: 'lets-map-your-blueprint' },
  menu: { button: 'Menu', open: 'Open menu', close: 'Close menu' },
  skipLink: 'Skip to content',
};

export const scrollToTop: Of<typeof shape.scrollToTop> = {
  label: 'Back to top',
};

export const shape = {
  navigation: named('Menu and orange button', {
    label: plain('Name of the menu', 'Screen readers say this before the links.'),
    links: list(partLink())('Links at the top'),
    callToAction: partLink('Orange button', 'It leads to the form, wherever it appears.'),
    menu: named('Menu on phones', {
      button: plain('Menu button'),
      open: plain('Open the menu', 'For screen readers when JavaScript is off.'),
      close: plain('Close the menu', 'For screen readers when JavaScript is off.'),
    }),
    skipLink: plain('Link that skips the header', 'The first one for people who use a keyboard.'),
  }),
  scrollToTop: named('Back to the top', 'The button at the bottom right.', {
    label: plain('Button text'),
  }),
};
