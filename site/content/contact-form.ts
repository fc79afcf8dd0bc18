/*
 * The words of the contact form and of the messages it answers with. {reply} is the reply time in business.ts.
 */
export const contactForm = {
  /** The strip along the top of the sheet. */
  sheet: 'Request sheet',
  /** What the strip says about the message, right now. */
  statusLabel: 'Status',
  status: { draft: 'Draft', sending: 'Sending…', sent: 'Sent', failed: 'Not sent' },

  /** The three fields: the word before each, and a hint below the last. */
  fields: {
    name: { label: 'Name' },
    email: { label: 'Email' },
    message: { label: 'Message', hint: 'Where does work pile up? A few plain lines are enough.' },
  },
  /** The button, at rest and while the message is on its way. */
  button: 'Send message',
  sending: 'Sending…',
  /** Beside the button. */
  promise: 'You get a reply {reply}.',

  /** Nobody sees this field; programs that send advertising fill it in. */
  trapLabel: 'Leave this field empty',
} as const;

/*
 * What the visitor is told after sending. `{message}` is replaced by the reason.
 * In the second case the server gives its reason in its own words, so only the title is here.
 */
export const outcomes = {
  failed: { title: 'Submission Failed', description: 'Error: {message}. Please try again.' },
  refused: { title: 'Error' },
  sent: {
    title: 'Success!',
    description: "Your message has been sent. We'll respond {reply}.",
  },
} as const;

/** Words around every notification. `{hotkey}` becomes the key that leads to it, F8. */
export const notifications = {
  label: 'Notification',
  region: 'Notifications ({hotkey})',
  close: 'Close notification',
} as const;
