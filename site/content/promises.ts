import { group, inDrawing, list, named, type Of, words, wordsOrNone } from '../ui/shape.ts';

export const promises: Of<typeof shape.promises> = {
  heading: 'Made for how you work. Yours to keep.',
  items: [
    {
      title: 'Tailored systems, not templates',
      text: 'Drawn for the way your orders move.',
    },
    {
      title: 'Built on real workflows',
      text: 'Taken from an ordinary day, hold-ups included.',
    },
    {
      title: 'Hands-on experience',
      text: 'I build it beside you until it runs.',
    },
    {
      title: 'You own everything 100%',
      text: 'Every SOP, sheet, app and dashboard stays with you.',
    },
  ],
  client: { sentence: '', name: '', firm: '' },
  example: {
    caption: 'The figures are examples.',
    sheet: 'Reorder on Monday',
    columns: ['Part', 'Stock', 'Min', 'Order'],
    parts: ['Copper pipe', 'Ball valve', 'Heat pump', 'Bracket'],
    counts: ['Open orders', 'To reorder', 'Late'],
    app: 'Van 2, today',
    jobs: ['Load pump', '12 Elm St.', '4 brackets'],
  },
};

const four = list(group({ title: words(), text: words() }), 4, 4);
export const shape = {
  promises: named('Reasons to choose you', {
    heading: words(),
    items: four('The four', 'The promise, then what it means for the client, in a sentence or two.'),
    client: named('What a client says', 'A real one who has agreed to be named.', {
      sentence: wordsOrNone('In their words', 'One sentence. Until there is one, nothing shows.'),
      name: wordsOrNone('Who said it'),
      firm: wordsOrNone('Their firm'),
    }),
    example: named('What they keep', 'A drawing of what you build, with figures people can read.', {
      caption: words('Below it', 'It says that the figures are made up.'),
      sheet: inDrawing('Title of the sheet'),
      columns: list(inDrawing(), 4, 4)('Its columns'),
      parts: list(inDrawing(), 4, 4)('Parts in stock'),
      counts: list(inDrawing(), 3, 3)('What’s counted below'),
      app: inDrawing('Title on the phone'),
      jobs: list(inDrawing(), 3, 3)('Jobs on the phone'),
    }),
  }),
};
