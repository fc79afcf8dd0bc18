/** Four reasons to choose this consultant. */
export const promises = {
  heading: 'Drawn around your work, and yours to keep.',
  items: [
    {
      title: 'Tailored systems, not templates',
      text: 'Nothing comes off a shelf but your own stock. The system fits the way your orders move.',
    },
    {
      title: 'Built on real workflows',
      text: 'I start from what happens on an ordinary day, not from what the binder says should happen.',
    },
    {
      title: 'Hands-on experience',
      text: 'The work is done beside the people who pick, pack, install and order. Not in slides.',
    },
    {
      title: 'You own everything 100%',
      text: 'Every sheet, app, SOP and dashboard stays with you when I leave.',
    },
  ],
};
