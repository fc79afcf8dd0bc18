import { group, list, matching, type Of, partLink, rows, words, wordsOrNone } from '../ui/shape.ts';

/** The first thing a visitor sees. */
export const hero: Of<typeof shape.hero> = {
  /** The small line above the headline. */
  kicker: 'Operations consulting for small businesses',
  /** The largest words on the page, and on the picture that shared links show. */
  headline: 'Fix What’s Slowing Your Business Down.',
  /** One or two sentences below it. */
  lead: 'I find the spot where your work piles up, redraw the workflow around it, and hand you a lean system that is 100% yours.',
  /** The second button, and the part of the page it goes to. The first one is the call to action in navigation.ts. */
  seeHow: { label: 'See How It Works', id: 'process-overview' },
  /**
   * Short facts below the buttons. The first three are also on the picture that shared links show. {from} is the
   * lowest price in packages.ts; {reply} and {country} are in business.ts.
   */
  facts: ['Reply {reply}', 'From {from}, no hidden fees', 'Based in {country}'],
  /** Describes the drawing for people who can't see it. */
  drawing:
    'Plan of a small operation from above: orders, stock, pick, pack and ship. Parcels pile up at one orange packing station until a new line around it lets them flow.',
  /** The words in the drawing, in Latin letters. Long ones are drawn smaller; empty quotes leave one out. */
  lettering: { orders: 'Orders', stock: 'Stock', pick: 'Pick', pack: 'Pack', ship: 'Ship' },
  /** The button that pauses and restarts the drawing, for people who can't see it. */
  pause: 'Pause the drawing',
  /** The table in the corner of the drawing. Each row is a label and a value. */
  titleBlock: [
    ['Drawing', 'Your operation, before and after'],
    ['In orange', 'The bottleneck'],
  ],
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  hero: group({
    kicker: words,
    headline: matching(
      words,
      /^.{0,60}$/su,
      'can have 60 characters at most, so that the button below stays in sight',
    ),
    lead: words,
    seeHow: partLink,
    facts: list(words),
    drawing: words,
    lettering: group({
      orders: wordsOrNone,
      stock: wordsOrNone,
      pick: wordsOrNone,
      pack: wordsOrNone,
      ship: wordsOrNone,
    }),
    pause: words,
    titleBlock: rows(words),
  }),
};
