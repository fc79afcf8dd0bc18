import { group, labelled, type Of, plainWords } from '../ui/shape.ts';

export const scrollToTop: Of<typeof shape.scrollToTop> = {
  label: 'Back to top',
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  scrollToTop: labelled(
    group({ label: labelled(plainWords, 'Words of the button') }),
    'Back to the top',
    'The button at the bottom right.',
  ),
};
