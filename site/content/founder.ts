import { labelled, list, named, type Of, rows, words, wordsAlso, wordsOrNone } from '../ui/shape.ts';

export const founder: Of<typeof shape.founder> = {
  name: '',
  unnamed: 'Your consultant',
  heading: 'You work with one person, start to finish.',
  bio: [
    'I’m a solo operations consultant for small businesses worldwide: warehouses, installers, firms with more inventory than time.',
    'I diagnose where the work gets stuck, redesign it, and deliver a lean system built on spreadsheets and an app-building tool. The person who reads your message draws your blueprint and trains your team.',
  ],
  photo: '{name}',
  portrait: 'Drawn portrait of a consultant in a work vest, who looks up from a plan on the table',
  titleBlock: [['Drawn by', '{name}']],
};

const withName = wordsAlso('name');
export const shape = {
  founder: named('About you', {
    name: labelled(wordsOrNone, 'Your name'),
    unnamed: labelled(
      words,
      'Instead of your name',
      'For people who can’t see your photo, while your name is empty.',
    ),
    heading: labelled(words, 'Heading above your story'),
    bio: labelled(list(words, 1), 'Your story', 'One entry for each paragraph.'),
    photo: labelled(withName, 'What your photo shows', 'For people who can’t see it.'),
    portrait: labelled(words, 'What the drawn portrait shows', 'It stands in until there’s a photo.'),
    titleBlock: labelled(
      rows(withName),
      'Table below the picture',
      'A line with your name only shows once there is one.',
    ),
  }),
};
