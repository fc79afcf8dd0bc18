import { drawn, named, type Of, words } from '../ui/shape.ts';

export const workingTogether: Of<typeof shape.workingTogether> = {
  heading: 'What Working Together Looks Like',
  end: 'Yours.',
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

export const shape = {
  workingTogether: named('Working together', {
    heading: words(),
    end: words('Below the van'),
    steps: drawn(['assess', 'redesign', 'implement', 'stabilize'])(
      'The four steps',
      'Each one’s name, then what happens in it. Keep their order: one line runs through all four.',
    ),
  }),
};
