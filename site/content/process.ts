/** The three steps. `drawing` names the picture and stays as it is. */
export const process = {
  heading: 'Find it. Redraw it. Hand it over.',
  lead: 'The same corner of your shop: as it is, on the drawing board, and running.',
  steps: [
    {
      drawing: 'diagnose',
      title: 'Diagnose',
      text: 'I follow the work from order to shipment and measure where it waits.',
    },
    {
      drawing: 'redesign',
      title: 'Redesign',
      text: 'The new line goes over the old one, drawn with the people who do the work.',
    },
    {
      drawing: 'deliver',
      title: 'Deliver',
      text: 'You run a lean system built on spreadsheets and an app. Every file in it is yours.',
    },
  ],
} as const;
