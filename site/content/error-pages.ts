import { named, type Of, words } from '../ui/shape.ts';

export const notFound: Of<typeof shape.notFound> = {
  title: 'Page not found',
  heading: 'This line leads nowhere.',
  text: 'There’s no page at this address. Everything there is to see is on one sheet.',
  back: 'Back to the drawing',
  drawing: 'A plan where the line stops in the middle of the floor, with one parcel on it',
};

export const notSent: Of<typeof shape.notSent> = {
  title: 'Message not confirmed',
  heading: 'Your message isn’t lost.',
  text: 'It isn’t confirmed yet. Everything you typed is still here.',
};

const title = words('In the browser’s tab');
export const shape = {
  notFound: named('Page not found', 'For addresses that don’t exist.', {
    title,
    heading: words(),
    text: words(),
    back: words('Button back to the main page'),
    drawing: words('What the drawing shows', 'For people who can’t see it.'),
  }),
  notSent: named(
    'Message not sent',
    'For visitors without JavaScript whose message wasn’t sent, or may not have been. Their form is still filled in.',
    { title, heading: words(), text: words() },
  ),
};
