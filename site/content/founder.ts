/**
 * Who the visitor would work with. For a photo, put founder.jpg (or .png, .webp, .avif) into this
 * folder; until then a drawn portrait stands in.
 */
export const founder = {
  /** Your name. Empty: the page says "your consultant" instead. */
  name: '',
  unnamed: 'Your consultant',
  heading: 'You work with one person, start to finish.',
  bio: [
    'I’m a solo operations consultant based in {country}. I work with small businesses worldwide: warehouses, installers, firms with more inventory than time.',
    'I diagnose where the work gets stuck, redesign it, and deliver a lean system built on spreadsheets and an app-building tool. The person who reads your message is the person who draws your blueprint and trains your team on it.',
  ],
  /** What the picture shows, for people who do not see it. {name} is filled in. */
  photo: '{name}',
  portrait: 'Drawn portrait of a consultant at a drafting table, with rolled plans',
  /** The table below the picture. {name} is filled in. */
  titleBlock: [
    ['Drawn by', '{name}'],
    ['Based in', '{country}'],
    ['Drawn for', 'Small businesses, worldwide'],
  ],
};
