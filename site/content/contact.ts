import { list, matching, named, type Of, plural, words, wordsAnd, wordsOrNone } from '../ui/shape.ts';

export const contact: Of<typeof shape.contact> = {
  heading: "Let's Map Your Blueprint",
  lead: 'Tell me what slows you down, the way you’d tell a friend. Two sentences are enough.',
  replyLabel: 'What’s in my reply',
  reply: ['A first look at where you’re stuck', 'Which blueprint fits, and its price'],
  emailLabel: 'Or write to',
  onPaper: 'Take a picture of this sheet, and send it to',
  phone: { label: 'Or call', number: '' },
  booking: { label: 'Book a call', address: '' },
  another: 'Write another message',
  place: 'Based in {country} – serving globally.',
  privacy:
    'I keep your name, email address and message to answer you, and for nothing else. [Write to me] and I’ll erase them.',
  retention: {
    one: 'Otherwise they’re erased after {days} day.',
    other: 'Otherwise they’re erased after {days} days.',
  },
};

export const shape = {
  contact: named('Contact', 'The words around the form.', {
    heading: words(),
    lead: words('Text below the heading'),
    replyLabel: words('Above the list'),
    reply: list(words())('What your reply contains'),
    emailLabel: words('Before your email address', 'The address itself is in Settings.'),
    onPaper: words('The same on paper', 'On the sheet that people print and fill in by hand.'),
    phone: named('Phone', 'Without a number, nothing shows.', {
      label: words('Before the number'),
      number: matching(
        wordsOrNone,
        // A number copied from a phone's contacts has invisible characters around it.
        /^([+\d\s()./\p{Pd}\p{Cf}]{5,30})?$/u,
        'must be a phone number, such as +1 604 555 0100',
      )('The number'),
    }),
    booking: named('Booking', 'Without an address, nothing shows.', {
      label: words('Link text'),
      address: matching(
        wordsOrNone,
        /^(https:\/\/\S+)?$/i,
        'must be one https:// address',
      )('Where it leads', 'The calendar page where people book.'),
    }),
    another: words('Link back to the form', 'On the receipt.'),
    place: words('Where you’re based'),
    privacy: matching(
      words,
      /^[^[\]]*\[[^[\]]+\][^[\]]*$/,
      'must have one part in [brackets], which becomes the link',
    )(
      'Notice below the form',
      'What you keep of a message, why, and how people can have it erased. The words in [brackets] become a link to your email address. A link to your privacy policy is added once you have one.',
    ),
    retention: plural(matching(wordsAnd('days'), /\{days\}/, 'must contain {days}'))(
      'How long you keep messages',
      'Added to the notice if old messages are erased automatically.',
    ),
  }),
};
