import type { Field } from '../../contract/contact-message.ts';
import { pageData } from './page-data.ts';
import type { ToastContent } from './toast-store.ts';

/** An error the function gave for one field. */
export type Fault = { field: Field; error: string };

export type Outcome =
  | { sent: true; toast: ToastContent }
  /** The reason is a sentence, and the stamp says whether it's known that nothing was sent. */
  | { sent: false; toast: ToastContent; stamp: string; reason: string; fault?: Fault | undefined };

/** The catalogue's words for a call that throws. Its sentence already ends the message's with a period. */
export function failed(message: string, stamp = pageData.form.unsure): Outcome {
  const reason = message.replace(/\.$/, '');
  const { title, description } = pageData.outcomes.failed;
  return {
    sent: false,
    stamp,
    reason: `${reason}.`,
    toast: { title, description: description.replace('{message}', () => reason), variant: 'destructive' },
  };
}
