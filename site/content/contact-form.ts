import { group, named, type Of, plain, wordsWith } from '../ui/shape.ts';

export const contactForm: Of<typeof shape.contactForm> = {
  sheet: 'Sheet 1: your shop',
  status: {
    received: 'Received',
    sent: 'Received {received} · reply by {replyBy}',
    failed: 'Not sent',
    unsure: 'Not confirmed',
    incomplete: 'Not complete yet',
  },
  topics: {
    label: 'About',
    both: 'Both',
    oneOfUs: 'One of us',
    remove: 'Remove “{topic}”',
    mark: 'Tick where you’re stuck',
    change: 'Change this list',
  },

  fields: {
    name: { label: 'Name' },
    email: { label: 'Email' },
    message: { label: 'Message', hint: 'Where does work pile up?' },
  },
  didYouMean: 'Did you mean {domain}?',
  button: 'Send message',
  sending: 'Sending…',
  save: 'Save a copy',
  promise: 'I’ll reply {reply}.',
  marked: 'Please fix what’s marked.',
  instead: 'Or send it to',

  trapLabel: 'Leave this field empty',
};

export const outcomes: Of<typeof shape.outcomes> = {
  failed: {
    title: 'Submission Failed',
    description: 'Error: {message}. Please try again.',
    offline: 'You’re offline. Your message is still in the form',
    unreachable: 'No answer came, so your message may not have arrived. It’s still in the form',
    other: '{message}',
    wordless: 'The answer couldn’t be read, so your message may not have arrived. It’s still in the form',
    unconfirmed: 'Something other than the form’s server answered. Your message is still in the form',
  },
  refused: { title: 'Error' },
  sent: {
    title: 'Success!',
    description: "Your message has been sent. We'll respond {reply}.",
  },
};

export const notifications: Of<typeof shape.notifications> = {
  label: 'Notification',
  region: 'Notifications ({hotkey})',
  close: 'Close notification',
};

const field = group({ label: plain() });
export const shape = {
  contactForm: named('Contact form', {
    sheet: plain('Strip across the top of the form'),
    status: named('Stamps', 'Beside the button, and on the receipt.', {
      received: plain('Received', 'On the page after sending, for visitors without JavaScript.'),
      sent: wordsWith('received', 'replyBy')(
        'Received, with times',
        'By the visitor’s clock: {received} is a time such as Tue 10:40, {replyBy} is when your reply is due. “ · ” becomes a line break.',
      ),
      failed: plain(),
      unsure: plain('Nobody knows whether it was sent', 'The connection ended before the answer.'),
      incomplete: plain(),
    }),
    topics: named(
      'What was ticked or asked about',
      'Beside the plan above the fields. It’s sent as the message’s first line.',
      {
        label: plain('Label', 'It starts the message’s first line, too: “About: …”'),
        both: plain('Ticked here and by a colleague', 'In the message: “Both: …”.'),
        oneOfUs: plain('Ticked by one of the two'),
        remove: wordsWith('topic')('Button that removes one', 'For screen readers.'),
        mark: plain('Link back to the problems'),
        change: plain('The same link once one is ticked'),
      },
    ),
    fields: group({
      name: field,
      email: field,
      message: group({ label: plain(), hint: plain('Hint below the field') }),
    }),
    didYouMean: wordsWith('domain')(
      'If the email address looks mistyped',
      'Such as gmial.con. Pressing it changes that to {domain}, such as gmail.com.',
    ),
    button: plain('Button'),
    sending: plain('Button while sending'),
    save: plain('Button on the receipt', 'It prints the receipt.'),
    promise: wordsWith('reply')('Next to the button'),
    marked: plain('If a field needs correcting', 'Next to the button.'),
    instead: plain('If sending failed', 'Next to the button. Your address follows.'),
    trapLabel: plain('Hidden field', 'Only spam bots fill it in.'),
  }),
  outcomes: named('After sending', 'What visitors see once they press the button.', {
    failed: named('If sending failed', {
      title: plain(),
      description: wordsWith('message')('Text', '{message} is the reason.'),
      offline: plain('The reason if the device has no connection'),
      unreachable: plain('The reason if no answer came'),
      other: wordsWith('message')(
        'The reason in all other cases',
        'Here, {message} is what the browser says, in English. If your page is in another language, leave it out.',
      ),
      wordless: plain('The reason if something in between answered, not the form’s server'),
      unconfirmed: plain('The reason if something else answered, such as a Wi-Fi login page'),
    }),
    refused: named('If the server refused it', 'The text below the title is its reason.', {
      title: plain(),
    }),
    sent: named('If it was sent', { title: plain(), description: wordsWith('reply')('Text') }),
  }),
  notifications: named('Notifications', 'For screen readers.', {
    label: plain('A notification'),
    region: wordsWith('hotkey')('Where they appear', '{hotkey} is the key that jumps to them: F8.'),
    close: plain('Button that closes one'),
  }),
};
