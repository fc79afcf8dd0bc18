import { drawn, group, type Of, words, wordsOrNone } from '../ui/shape.ts';

/** The three steps. Keep each one's drawing, and the order: they show the same corner at three stages. */
export const process: Of<typeof shape.process> = {
  /** The heading. */
  heading: 'Find it. Redraw it. Hand it over.',
  /** The sentence below it. */
  lead: 'The same corner of your shop: as it is, on the drawing board, and running.',
  /** The words in the drawings, in Latin letters. Long ones are drawn smaller; empty quotes leave one out. */
  lettering: { waiting: 'Waiting', newLine: 'New line', running: 'Running' },
  /** Each one: its name, then what you do in it, in a sentence or two. */
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

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  process: group({
    heading: words,
    lead: words,
    lettering: group({ waiting: wordsOrNone, newLine: wordsOrNone, running: wordsOrNone }),
    steps: drawn('diagnose', 'redesign', 'deliver'),
  }),
};
