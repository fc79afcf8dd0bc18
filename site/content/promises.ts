/** One reason to choose you. */
export interface PromiseMade {
  title: string;
  /** What it means for the client, in a sentence or two. */
  text: string;
}

/** Four reasons to choose this consultant. */
export const promises: { heading: string; items: PromiseMade[] } = {
  /** The line above the four. */
  heading: 'Drawn around your work, and yours to keep.',
  items: [
    {
      title: 'Tailored systems, not templates',
      text: 'Drawn for the way your orders move, not picked from a list.',
    },
    {
      title: 'Built on real workflows',
      text: 'I start from what happens on an ordinary day, not from what the binder says should happen.',
    },
    {
      title: 'Hands-on experience',
      text: 'Tested in your real environment and refined with you. Not in slides.',
    },
    {
      title: 'You own everything 100%',
      text: 'Every sheet, app, SOP and dashboard stays with you when I leave.',
    },
  ],
};
