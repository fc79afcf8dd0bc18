import { drawn, group, type Of, words } from '../ui/shape.ts';

/** What every project rests on. Each one names its drawing: keep that. You can change their order. */
export const pillars: Of<typeof shape.pillars> = {
  /** The heading. */
  heading: 'A clear path, a clear view, a capable team.',
  /** Each one: its name, then what the client gets from it, in a sentence or two. */
  items: [
    {
      drawing: 'design',
      title: 'Workflow Design',
      text: 'One clear path for every order. No detours, and nothing handled twice.',
    },
    {
      drawing: 'visibility',
      title: 'Operations Visibility',
      text: 'What is in stock, what is late and who has it, on one screen that you trust.',
    },
    {
      drawing: 'enablement',
      title: 'Team Enablement',
      text: 'Your people know the steps, own them, and run the system without me in the room.',
    },
  ],
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  pillars: group({ heading: words, items: drawn('design', 'visibility', 'enablement') }),
};
