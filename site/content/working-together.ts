/** One station of an engagement and its drawing. */
export interface Station {
  /** The name of the drawing. Keep it, and the order: one line leads through the four. */
  drawing: 'assess' | 'redesign' | 'implement' | 'stabilize';
  title: string;
  /** What happens there, in one sentence. */
  text: string;
}

/** The four stations of an engagement. */
export const workingTogether: { heading: string; steps: Station[] } = {
  /** The line above the stations. */
  heading: 'What Working Together Looks Like',
  steps: [
    {
      drawing: 'assess',
      title: 'Assess & Map',
      text: 'We start with your real pain points and trace every bottleneck to its source.',
    },
    {
      drawing: 'redesign',
      title: 'Redesign',
      text: 'I rebuild the workflow from the ground up with lean principles.',
    },
    {
      drawing: 'implement',
      title: 'Implement',
      text: 'You test the new system in a real environment, and we refine it together.',
    },
    {
      drawing: 'stabilize',
      title: 'Stabilize',
      text: 'You have a working system, with full training and support.',
    },
  ],
};
