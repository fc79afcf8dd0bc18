import { list, named, type Of, rows, words, wordsAnd, wordsOrNone } from '../ui/shape.ts';

export const founder: Of<typeof shape.founder> = {
  name: '',
  unnamed: 'Your consultant',
  heading: 'You work with one person, start to finish.',
  bio: [
    'I’m a solo operations consultant for small businesses worldwide: warehouses, installers, firms with more inventory than time.',
    'I diagnose where the work gets stuck, redesign it, and deliver a lean system built on spreadsheets and an app-building tool. The person who reads your message draws your blueprint and trains your team.',
  ],
  photo: '{name}',
  portrait: 'Drawn portrait of a consultant in a work vest, looking up from a plan on the table',
  titleBlock: [['Drawn by', '{name}']],
};

const withName = wordsAnd('name');
export const shape = {
  founder: named('About you', {
    name: wordsOrNone('Your name'),
    unnamed: words('Instead of your name', 'For people who can’t see your photo, while your name is empty.'),
    heading: words('Heading above your story'),
    bio: list(words(), 1)('Your story', 'One entry for each paragraph.'),
    photo: withName('What your photo shows', 'For people who can’t see it.'),
    portrait: words('What the drawn portrait shows', 'It stands in until there’s a photo.'),
    titleBlock: rows(withName)(
      'Table below the picture',
      'The line with your name shows once you’ve filled that in.',
    ),
  }),
};
