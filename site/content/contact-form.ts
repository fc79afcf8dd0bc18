import { group, labelled, named, type Of, plainWords, wordsWith } from '../ui/shape.ts';

export const contactForm: Of<typeof shape.contactForm> = {
  sheet: 'Sheet 1: your shop',
  status: {
    received: 'Received',
    sent: 'Received {received} · reply by {replyBy}',
    failed: 'Not sent',
    unsure: 'Not confirmed',
    incomplete: 'Not yet complete',
  },
  topics: {
    label: 'About',
    both: 'Both',
    oneOfUs: 'One of us',
    remove: 'Remove “{topic}”',
    change: 'Mark where it sticks',
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
  promise: 'You get a reply {reply}.',
  marked: 'Please look at what’s marked.',
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
    wordless: 'No proper answer came, so your message may not have arrived. It’s still in the form',
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

const field = group({ label: plainWords });
export const shape = {
  contactForm: named('Contact form', {
    sheet: labelled(plainWords, 'Strip across the top of the form'),
    status: named('Stamps', 'Beside the button, and on what was sent.', {
      received: labelled(
        plainWords,
        'Received',
        'On the page after sending, for visitors without JavaScript.',
      ),
      sent: labelled(
        wordsWith('received', 'replyBy'),
        'Received, with times',
        'By the visitor’s clock: {received} such as Tue 10:40, and {replyBy} as you promise. A line begins in place of “ · ”.',
      ),
      failed: plainWords,
      unsure: labelled(
        plainWords,
        'Nobody knows whether it was sent',
        'The connection ended before the answer.',
      ),
      incomplete: plainWords,
    }),
    topics: named(
      'What was ticked or asked about',
      'Beside the plan above the fields. It’s sent as the message’s first line.',
      {
        label: labelled(plainWords, 'Label', 'It begins the message’s first line too: “About: …”'),
        both: labelled(plainWords, 'Ticked here and by a colleague', 'In the message: “Both: …”.'),
        oneOfUs: labelled(plainWords, 'Ticked by one of the two'),
        remove: labelled(wordsWith('topic'), 'Button that removes one', 'For screen readers.'),
        change: labelled(plainWords, 'Link back to the problems'),
      },
    ),
    fields: group({
      name: field,
      email: field,
      message: group({ label: plainWords, hint: labelled(plainWords, 'Hint below the field') }),
    }),
    didYouMean: labelled(
      wordsWith('domain'),
      'After a slip in the e-mail address',
      'Such as gmial.con. Pressing it puts {domain} there, such as gmail.com.',
    ),
    button: labelled(plainWords, 'Button'),
    sending: labelled(plainWords, 'Button while sending'),
    save: labelled(plainWords, 'Button on what was sent', 'It prints the receipt.'),
    promise: labelled(wordsWith('reply'), 'Next to the button'),
    marked: labelled(plainWords, 'If a field has to be corrected', 'Next to the button.'),
    instead: labelled(plainWords, 'If sending failed', 'Next to the button. Your address follows.'),
    trapLabel: labelled(plainWords, 'Hidden field', 'Only spam bots fill it in.'),
  }),
  outcomes: named('After sending', 'What visitors see once they press the button.', {
    failed: named('If sending failed', {
      title: plainWords,
      description: labelled(wordsWith('message'), 'Text', '{message} is the reason.'),
      offline: labelled(plainWords, 'The reason if the device has no connection'),
      unreachable: labelled(plainWords, 'The reason if no answer came'),
      other: labelled(
        wordsWith('message'),
        'The reason in all other cases',
        'Here, {message} is what the browser says, in English; in another language, leave it out.',
      ),
      wordless: labelled(plainWords, 'The reason if something between answered, and not the form’s server'),
      unconfirmed: labelled(
        plainWords,
        'The reason if something else answered, such as a Wi-Fi’s login page',
      ),
    }),
    refused: named('If the server refused it', 'The text below the title is its reason.', {
      title: plainWords,
    }),
    sent: named('If it was sent', { title: plainWords, description: labelled(wordsWith('reply'), 'Text') }),
  }),
  notifications: named('Notifications', 'For screen readers.', {
    label: labelled(plainWords, 'A notification'),
    region: labelled(wordsWith('hotkey'), 'Where they appear', '{hotkey} is the key that jumps to them: F8.'),
    close: labelled(plainWords, 'Button that closes one'),
  }),
};
