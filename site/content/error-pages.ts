/** The pages a visitor sees when something went wrong. */
export const notFound = {
  title: 'Page not found',
  heading: 'This line leads nowhere.',
  text: 'There is no page at this address. Everything there is to see is on one sheet.',
  back: 'Back to the drawing',
  drawing: 'A plan in which the line ends in the middle of the floor, with one parcel on it',
};

export const notSent = {
  title: 'Message not sent',
  heading: 'Your message is not lost.',
  text: 'It could not be sent yet. Everything you typed is still here.',
};
