import { group, list, type Of, partLink, plainWords } from '../ui/shape.ts';

/** The links at the top of the page and the words around them. */
export const navigation: Of<typeof shape.navigation> = {
  /** Screen readers say this before the links. */
  label: 'Main',
  /** `id` is the section a link goes to. Keep it; change the label freely. */
  links: [
    { label: 'Home', id: 'hero-banner' },
    { label: 'How It Works', id: 'process-overview' },
    { label: 'Services', id: 'service-pillars' },
    { label: 'Packages', id: 'blueprint-journey' },
    { label: 'About', id: 'about-founder' },
    { label: 'Contact', id: 'lets-map-your-blueprint' },
  ],
  /** The orange button, wherever it appears. Keep its id: it goes to the part with the form. */
  callToAction: { label: 'Let’s Find & Fix My Bottlenecks', id: 'lets-map-your-blueprint' },
  /** The menu button on phones. `open` and `close` are for screen readers when JavaScript is off. */
  menu: { button: 'Menu', open: 'Open menu', close: 'Close menu' },
  /** For people who use a keyboard: the first link, which skips the header. */
  skipLink: 'Skip to content',
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  navigation: group({
    label: plainWords,
    links: list(partLink),
    callToAction: partLink,
    menu: group({ button: plainWords, open: plainWords, close: plainWords }),
    skipLink: plainWords,
  }),
};
