import { group, labelled, list, type Of, words } from '../ui/shape.ts';

export const promises: Of<typeof shape.promises> = {
  heading: 'Made for how you work. Yours to keep.',
  items: [
    {
      title: 'Tailored systems, not templates',
      text: 'Whichever blueprint you choose, I draw the system for the way your orders move.',
    },
    {
      title: 'Built on real workflows',
      text: 'I start from what happens on an ordinary day, not from what the binder says should happen.',
    },
    {
      title: 'Hands-on experience',
      text: 'Tested in your real environment and refined with you. Not in slides.',
    },
    {
      title: 'You own everything 100%',
      text: 'Every sheet, app, SOP and dashboard stays with you when I leave.',
    },
  ],
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  promises: labelled(
    group({
      heading: words,
      items: labelled(
        list(group({ title: words, text: words }), 4, 4),
        'The four',
        'The promise, then what it means for the client, in a sentence or two.',
      ),
    }),
    'Reasons to choose you',
  ),
};
