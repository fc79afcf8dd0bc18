import { drawn, named, type Of, words } from '../ui/shape.ts';

export const solution: Of<typeof shape.solution> = {
  heading: 'One system replaces the workarounds.',
  lead: 'What I build for you, part by part.',
  items: [
    {
      drawing: 'workflow',
      title: 'Workflow redesign and process re-engineering',
      text: 'One route to the van, in fewer steps.',
    },
    {
      drawing: 'system',
      title: 'Lean system setup in spreadsheets and an app tool',
      text: 'Spreadsheets at the desk, an app in the van.',
    },
    {
      drawing: 'sop',
      title: 'SOP creation and team alignment',
      text: 'One page per job (an SOP), with a name on it.',
    },
    {
      drawing: 'dashboards',
      title: 'Data dashboards',
      text: 'Stock, orders and open jobs at a glance.',
    },
    {
      drawing: 'support',
      title: 'Ongoing optimization support',
      text: 'Once it runs, I clear what still slows you down.',
    },
  ],
};

export const shape = {
  solution: named('What you build', 'The five offerings, as a list of parts.', {
    heading: words(),
    lead: words('Text below the heading'),
    items: drawn(['workflow', 'system', 'sop', 'dashboards', 'support'])(
      'The five',
      'What it is, then what it does for the client, in one sentence.',
    ),
  }),
};
