/** The first thing a visitor sees. */
export const hero = {
  /** The small line above the headline. */
  kicker: 'Operations consulting for small businesses',
  headline: 'Fix What’s Slowing Your Business Down.',
  lead: 'I find the spot where your work piles up, redraw the workflow around it, and hand you a lean system that is 100% yours.',
  /** The second button. The first one is the call to action in navigation.ts. */
  seeHow: 'See How It Works',
  /** Short facts below the buttons. {from} is the lowest price in packages.ts. */
  facts: ['Reply {reply}', 'From {from}, no hidden fees', 'Based in {country}'],
  /** What the drawing shows, for people who do not see it. */
  drawing:
    'Plan of a small operation, drawn from above: orders, stock, pick, pack and ship. Parcels pile up in front of one orange packing station until a new line is drawn around it and they flow.',
  /** The table in the corner of the drawing. */
  titleBlock: [
    ['Drawing', 'Your operation, before and after'],
    ['In orange', 'The bottleneck'],
  ],
};
