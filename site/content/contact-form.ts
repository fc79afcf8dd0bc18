import { group, type Of, plainWords, wordsWith } from '../ui/shape.ts';

// The words of the contact form and its notifications. {reply} is the reply time in business.ts.
export const contactForm: Of<typeof shape.contactForm> = {
  /** The strip across the top of the form. */
  sheet: 'Request sheet',
  /** At the right end of the strip: the message's status. */
  statusLabel: 'Status',
  status: { draft: 'Draft', sending: 'Sending…', sent: 'Sent', failed: 'Not sent' },

  /** Each field's label, and a hint below the last field. */
  fields: {
    name: { label: 'Name' },
    email: { label: 'Email' },
    message: { label: 'Message', hint: 'Where does work pile up?' },
  },
  /** Beside the e-mail address, after a slip such as gmial.con. Pressing it puts {domain} there, such as gmail.com. */
  didYouMean: 'Did you mean {domain}?',
  /** The button, before and during sending. */
  button: 'Send message',
  sending: 'Sending…',
  /** Next to the button, until the message is sent. After that the status goes before it: “Sent. You get a reply …” */
  promise: 'You get a reply {reply}.',
  /** There instead, after “Not sent.”, if a field has to be corrected. */
  marked: 'Please look at the marked field.',

  /** A hidden field that only spam bots fill in. */
  trapLabel: 'Leave this field empty',
};

// What visitors see after sending. {message} is the reason. “refused” has only a title: the server gives the reason.
export const outcomes: Of<typeof shape.outcomes> = {
  failed: {
    title: 'Submission Failed',
    description: 'Error: {message}. Please try again.',
    /** The {message} if the visitor's device has no connection. */
    offline: 'You’re offline. Your message is still in the form',
    /** The {message} if no answer came, for whatever reason. */
    unreachable: 'The connection failed. Your message is still in the form',
    /**
     * The {message} in all other cases. Here, {message} is what the browser or the library that sends it says, in
     * English; in another language, leave it out.
     */
    other: '{message}',
    /** Beside the button, if the server refused it and said nothing that people can use. */
    wordless: 'The server didn’t take it. Your message is still in the form.',
  },
  refused: { title: 'Error' },
  sent: {
    title: 'Success!',
    description: "Your message has been sent. We'll respond {reply}.",
  },
};

/** For screen readers. {hotkey} is the key that jumps to the notifications: F8. */
export const notifications: Of<typeof shape.notifications> = {
  label: 'Notification',
  region: 'Notifications ({hotkey})',
  close: 'Close notification',
};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  contactForm: group({
    sheet: plainWords,
    statusLabel: plainWords,
    status: group({ draft: plainWords, sending: plainWords, sent: plainWords, failed: plainWords }),
    fields: group({
      name: group({ label: plainWords }),
      email: group({ label: plainWords }),
      message: group({ label: plainWords, hint: plainWords }),
    }),
    didYouMean: wordsWith('domain'),
    button: plainWords,
    sending: plainWords,
    promise: wordsWith('reply'),
    marked: plainWords,
    trapLabel: plainWords,
  }),
  outcomes: group({
    failed: group({
      title: plainWords,
      description: wordsWith('message'),
      offline: plainWords,
      unreachable: plainWords,
      other: wordsWith('message'),
      wordless: plainWords,
    }),
    refused: group({ title: plainWords }),
    sent: group({ title: plainWords, description: wordsWith('reply') }),
  }),
  notifications: group({ label: plainWords, region: wordsWith('hotkey'), close: plainWords }),
};
