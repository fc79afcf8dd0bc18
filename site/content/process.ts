import { drawn, lettering, named, type Of, words } from '../ui/shape.ts';

export const process: Of<typeof shape.process> = {
  heading: 'Find it. Redraw it. Hand it over.',
  lead: 'The same corner of your shop: as it is, on the drawing board, and running.',
  lettering: { waiting: 'Waiting', newLine: 'New line', running: 'Running' },
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
      text: 'Your team runs the new line.',
    },
  ],
};

export const shape = {
  process: named('How it works', {
    heading: words(),
    lead: words('Text below the heading'),
    lettering: named(
      'Words in the drawings',
      'In Latin letters. Long words are drawn smaller; leave one empty to leave it out.',
      { waiting: lettering, newLine: lettering, running: lettering },
    ),
    steps: drawn(['diagnose', 'redesign', 'deliver'])(
      'The three steps',
      'Each one’s name, then what you do in it. Keep their order: they show one corner at three stages.',
    ),
  }),
};
