import { drawn, group, type Of, words } from '../ui/shape.ts';

/** The four steps of a project. Keep each one's drawing, and the order: one line runs through all four. */
export const workingTogether: Of<typeof shape.workingTogether> = {
  /** The heading. */
  heading: 'What Working Together Looks Like',
  /** Each one: its name, then what happens in it, in one sentence. */
  steps: [
    {
      drawing: 'assess',
      title: 'Assess & Map',
      text: 'I start with your real pain points and trace every bottleneck to its source.',
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

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  workingTogether: group({
    heading: words,
    steps: drawn('assess', 'redesign', 'implement', 'stabilize'),
  }),
};
