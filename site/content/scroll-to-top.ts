/* The button at the bottom right that leads back to the top. */
export const scrollToTop = {
  label: 'Back to top',
} as const;
