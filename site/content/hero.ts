import { lettering, list, matching, named, type Of, partLink, rows, words } from '../ui/shape.ts';

export const hero: Of<typeof shape.hero> = {
  kicker: 'For warehouses, installers and stockrooms',
  headline: 'Fix What’s Slowing Your Business Down.',
  lead: 'I find where your work piles up and redraw how it runs. You get spreadsheets and a simple app, in {weeks}, from {from}. All of it is yours.',
  seeHow: { label: 'See How It Works', id: 'process-overview' },
  facts: ['Reply {reply}', 'One-time setup, no hidden fees', 'Based in {country}'],
  drawing:
    'Plan of a small operation from above: orders, stock, pick, pack and ship. Parcels pile up at one orange packing station until a new line around it lets them flow.',
  lettering: { orders: 'Orders', stock: 'Stock', pick: 'Pick', pack: 'Pack', ship: 'Ship' },
  states: { label: 'Drawing', before: 'Before', after: 'After' },
  titleBlock: [['In orange', 'The bottleneck']],
};

export const shape = {
  hero: named('Top of the page', 'The first thing a visitor sees.', {
    kicker: words('Small line above the headline'),
    headline: matching(
      words,
      /^.{0,60}$/su,
      'can have 60 characters at most, so that the button below stays in sight',
    )('Headline', 'Also on the picture that shared links show.'),
    lead: words('Text below the headline', 'One or two sentences.'),
    seeHow: partLink('Second button'),
    facts: list(words())(
      'Short facts below the buttons',
      'The first three are also on the picture that shared links show.',
    ),
    drawing: words('What the drawing shows', 'For people who can’t see it.'),
    lettering: named(
      'Words in the drawing',
      'In Latin letters. Long words are drawn smaller; leave one empty to leave it out.',
      { orders: lettering, stock: lettering, pick: lettering, pack: lettering, ship: lettering },
    ),
    states: named('Switch in the corner of the drawing', {
      label: words('Label'),
      before: words('As it was'),
      after: words('As it is'),
    }),
    titleBlock: rows(words)('Table below the switch'),
  }),
};
