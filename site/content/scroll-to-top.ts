import { group, type Of, plainWords } from '../ui/shape.ts';

/* The button at the bottom right that goes back to the top. */
export const scrollToTop: Of<typeof shape.scrollToTop> = {
  label: 'Back to top',
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  scrollToTop: group({ label: plainWords }),
};
