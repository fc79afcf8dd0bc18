import { drawn, named, type Of, plain, words, wordsWith } from '../ui/shape.ts';

export const problems: Of<typeof shape.problems> = {
  heading: 'You already know where it hurts.',
  lead: 'Five spots where small operations get stuck. Tick yours, and send them to me or a colleague.',
  next: 'Ask about my shop',
  share: {
    button: 'Send this to a colleague',
    copied: 'Link copied. Whoever opens it sees your spots.',
    copy: 'Copy this link:',
    theirs: 'Ringed: marked by whoever sent you this.',
    dismiss: 'Hide the rings',
    lit: 'On your sheet: {topics}',
  },
  items: [
    {
      drawing: 'spreadsheet',
      title: 'Manual spreadsheet updates',
      text: 'The same numbers, typed twice. By Friday the two copies disagree.',
    },
    {
      drawing: 'stock',
      title: 'Lost visibility on stock and tasks',
      text: 'You find the shelf empty. Who has the job? You phone around.',
    },
    {
      drawing: 'accountability',
      title: 'No accountability across teams',
      text: 'The task is on the board. Nobody’s name is on it.',
    },
    {
      drawing: 'errors',
      title: 'Repeated pick/pack/order errors',
      text: 'The wrong box goes out and comes back. You pay for both trips.',
    },
    {
      drawing: 'disconnect',
      title: 'Disconnect between systems and people',
      text: 'The screen says one thing, the floor does another, and you’re the go-between.',
    },
  ],
};

export const shape = {
  problems: named('Problems', {
    heading: words(),
    lead: words('Text below the heading'),
    next: words('Button to the form', 'Shown once a problem is ticked.'),
    share: named('Send this to a colleague', 'A link to your page that shows what its sender ticked.', {
      button: plain('Button', 'Shown once a problem is ticked.'),
      copied: plain('Once the link is copied'),
      copy: plain('If it can’t be copied', 'The link follows.'),
      theirs: plain('To whoever opens the link'),
      dismiss: plain('Button that hides the rings'),
      lit: wordsWith('topics')('After each tick', 'For screen readers. {topics} is what’s marked.'),
    }),
    items: drawn(['spreadsheet', 'stock', 'accountability', 'errors', 'disconnect'])(
      'The five',
      'The problem in a few words, then what it looks like on an ordinary day.',
    ),
  }),
};
