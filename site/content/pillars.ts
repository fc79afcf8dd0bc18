import { drawn, named, type Of, words } from '../ui/shape.ts';

export const pillars: Of<typeof shape.pillars> = {
  heading: 'It works on the floor, not just on paper.',
  items: [
    {
      drawing: 'design',
      title: 'Workflow Design',
      text: 'One clear path for every order.',
    },
    {
      drawing: 'visibility',
      title: 'Operations Visibility',
      text: 'What’s in stock and what’s late, on one screen.',
    },
    {
      drawing: 'enablement',
      title: 'Team Enablement',
      text: 'Your people run it without me.',
    },
  ],
};

export const shape = {
  pillars: named('Services', 'What every project rests on.', {
    heading: words(),
    items: drawn(['design', 'visibility', 'enablement'])(
      'The three',
      'Each one’s name, then what the client gets from it, in a sentence or two.',
    ),
  }),
};
