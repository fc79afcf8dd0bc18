import { group, type Of, words } from '../ui/shape.ts';

/** The page for addresses that don't exist. */
export const notFound: Of<typeof shape.notFound> = {
  /** In the browser tab. */
  title: 'Page not found',
  heading: 'This line leads nowhere.',
  text: 'There is no page at this address. Everything there is to see is on one sheet.',
  /** The button back to the main page. */
  back: 'Back to the drawing',
  /** Describes the drawing for people who can't see it. */
  drawing: 'A plan in which the line ends in the middle of the floor, with one parcel on it',
};

/** Shown to visitors without JavaScript whose message wasn't sent. It includes their form, still filled in. */
export const notSent: Of<typeof shape.notSent> = {
  title: 'Message not sent',
  heading: 'Your message is not lost.',
  text: 'It could not be sent yet. Everything you typed is still here.',
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  notFound: group({ title: words, heading: words, text: words, back: words, drawing: words }),
  notSent: group({ title: words, heading: words, text: words }),
};
