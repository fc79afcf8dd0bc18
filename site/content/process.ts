/** One of the three steps and its drawing. */
export interface Step {
  /** The name of the drawing. Keep it, and the order: the three show the same corner, one after another. */
  drawing: 'diagnose' | 'redesign' | 'deliver';
  title: string;
  /** What you do in this step, in a sentence or two. */
  text: string;
}

/** The three steps. */
export const process: { heading: string; lead: string; steps: Step[] } = {
  /** The line above the steps. */
  heading: 'Find it. Redraw it. Hand it over.',
  /** The sentence below it. */
  lead: 'The same corner of your shop: as it is, on the drawing board, and running.',
  steps: [
    {
      drawing: 'diagnose',
      title: 'Diagnose',
      text: 'I follow the work from order to shipment and measure where it waits.',
    },
    {
      drawing: 'redesign',
      title: 'Redesign',
      text: 'The new line goes over the old one, drawn with the people who do the work.',
    },
    {
      drawing: 'deliver',
      title: 'Deliver',
      text: 'You run a lean system built on spreadsheets and an app. Every file in it is yours.',
    },
  ],
};
