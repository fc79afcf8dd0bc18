/** The four stations of an engagement. `drawing` names the picture and stays as it is. */
export const workingTogether = {
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
} as const;
