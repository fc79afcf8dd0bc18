import { drawn, group, type Of, words } from '../ui/shape.ts';

/** The five offerings, as the parts of one system pulled apart. Each one names its drawing: keep that. You can change their order. */
export const solution: Of<typeof shape.solution> = {
  /** The heading. */
  heading: 'One lean system replaces the workarounds.',
  /** The sentence below it. */
  lead: 'What I build for you, part by part.',
  /** Each one: what it is, then what it does for the client, in one sentence. */
  items: [
    {
      drawing: 'workflow',
      title: 'Workflow redesign and process re-engineering',
      text: 'Steps that wait, repeat or wander, redrawn in the order the work really takes.',
    },
    {
      drawing: 'system',
      title: 'Lean system setup in spreadsheets and an app tool',
      text: 'Sheets your team can read, and a simple app where a phone beats a desk.',
    },
    {
      drawing: 'sop',
      title: 'SOP creation and team alignment',
      text: 'A standard operating procedure (SOP) for each job, in plain words, with a name beside it.',
    },
    {
      drawing: 'dashboards',
      title: 'Data dashboards',
      text: 'Stock, orders and open jobs on one screen, before anybody has to ask.',
    },
    {
      drawing: 'support',
      title: 'Ongoing optimization support',
      text: 'Once it runs, we look at what still waits and tune it.',
    },
  ],
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  solution: group({
    heading: words,
    lead: words,
    items: drawn('workflow', 'system', 'sop', 'dashboards', 'support'),
  }),
};
