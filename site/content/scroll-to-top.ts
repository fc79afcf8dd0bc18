import { labelled, named, type Of, plainWords } from '../ui/shape.ts';

export const scrollToTop: Of<typeof shape.scrollToTop> = {
  label: 'Back to top',
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  scrollToTop: named('Back to the top', 'The button at the bottom right.', {
    label: labelled(plainWords, 'Words of the button'),
  }),
};
