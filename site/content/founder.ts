import { FIGURES, group, list, type Of, rows, words, wordsOrNone, wordsWith } from '../ui/shape.ts';

/** You. Put your photo in this folder as founder.jpg (or .png, .webp …). Until then, a drawn portrait shows. */
export const founder: Of<typeof shape.founder> = {
  /** Your name. If it's empty, the page uses the words in "unnamed" instead. */
  name: '',
  unnamed: 'Your consultant',
  /** The heading above your story. */
  heading: 'You work with one person, start to finish.',
  /** Your story, one entry per paragraph. {country} is in business.ts. */
  bio: [
    'I’m a solo operations consultant based in {country}. I work with small businesses worldwide: warehouses, installers, firms with more inventory than time.',
    'I diagnose where the work gets stuck, redesign it, and deliver a lean system built on spreadsheets and an app-building tool. The person who reads your message is the person who draws your blueprint and trains your team.',
  ],
  /** Describes the photo for people who can't see it. {name} is filled in. */
  photo: '{name}',
  /** Describes the drawn portrait. */
  portrait: 'Drawn portrait of a consultant at a drafting table, with rolled plans',
  /** The table below the picture. Each row is a label and a value. {name} is filled in. */
  titleBlock: [
    ['Drawn by', '{name}'],
    ['Based in', '{country}'],
    ['Drawn for', 'Small businesses, worldwide'],
  ],
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  founder: group({
    name: wordsOrNone,
    unnamed: words,
    heading: words,
    bio: list(words, 1),
    photo: wordsWith(...FIGURES, 'name'),
    portrait: words,
    titleBlock: rows(wordsWith(...FIGURES, 'name')),
  }),
};
