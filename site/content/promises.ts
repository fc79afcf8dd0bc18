import { group, labelled, list, type Of, words } from '../ui/shape.ts';

export const promises: Of<typeof shape.promises> = {
  heading: 'Made for how you work. Yours to keep.',
  items: [
    {
      title: 'Tailored systems, not templates',
      text: 'Drawn for the way your orders move.',
    },
    {
      title: 'Built on real workflows',
      text: 'From an ordinary day, not from the binder.',
    },
    {
      title: 'Hands-on experience',
      text: 'Tested in your shop and refined with you.',
    },
    {
      title: 'You own everything 100%',
      text: 'Every sheet, app, SOP and dashboard stays.',
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
