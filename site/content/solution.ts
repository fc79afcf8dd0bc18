import { group, list, type Of, words } from '../ui/shape.ts';

/** The five offerings, laid out like a drawing's parts list. */
export const solution: Of<typeof shape.solution> = {
  /** The heading. */
  heading: 'One lean system replaces the workarounds.',
  /** The sentence below it. */
  lead: 'What I build for you, part by part.',
  /** The titles of the list's three columns, on wide screens. */
  columns: ['Item', 'Part', 'What it does for you'],
  /** Each one: what it is, then what it does for the client, in one sentence. */
  items: [
    {
      title: 'Workflow redesign and process re-engineering',
      text: 'Steps that wait, repeat or wander are drawn again, in the order the work really takes.',
    },
    {
      title: 'Lean system setup in spreadsheets and an app tool',
      text: 'Spreadsheets your team can read, and a simple app on top where a phone beats a desk.',
    },
    {
      title: 'SOP creation and team alignment',
      text: 'A standard operating procedure (SOP) for each job: written once, in plain words, with a name beside it.',
    },
    {
      title: 'Data dashboards',
      text: 'Stock, orders and open jobs on one screen, before anybody has to ask.',
    },
    {
      title: 'Ongoing optimization support',
      text: 'Once your team uses it, we look at what still waits, and fine-tune it.',
    },
  ],
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  solution: group({
    heading: words,
    lead: words,
    columns: list(words, 3, 3),
    items: list(group({ title: words, text: words }), 5, 5),
  }),
};
