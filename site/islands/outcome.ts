import { FIELD_NAMES, type Field } from '../../contract/contact-message.ts';
import { pageData } from './page-data.ts';
import type { CallResult } from './send-message.ts';
import type { ToastContent } from './toast-store.ts';

const { outcomes, form } = pageData;

export type Outcome =
  /** `at` by the server's clock, if it can be seen: the visitor's may be wrong. */
  | { sent: true; toast: ToastContent; at: number }
  /** The reason is a sentence, perhaps of one field, and the stamp says whether it's sure that nothing was sent. */
  | { sent: false; toast: ToastContent; stamp: string; reason: string; field?: Field | undefined };

/**
 * The three cases of the error catalogue. A JSON object with `error` is a refusal at any status, and one without is
 * success at a good one: that's from the function itself. A Wi-Fi login page or a proxy says something else.
 *
 * @param wasOffline when the call began: a message that went out before may have arrived
 */
export function outcomeOf(result: CallResult, wasOffline = false): Outcome {
  if (!('answer' in result)) return failed(messageOf(result.error, wasOffline));
  const said = objectIn(result.answer.body);
  if (said?.error) {
    const reason = textOf(said.error);
    const field = FIELD_NAMES.find((name) => name === said.field);
    const toast = { ...outcomes.refused, description: reason, variant: 'destructive' } as const;
    // Only the function's own has such a code; a proxy may have lost the answer to what was stored.
    const isOurs = typeof said.code === 'string';
    return { sent: false, toast, stamp: isOurs ? form.failed : form.unsure, reason, field };
  }
  if (!result.answer.ok) return failed(outcomes.failed.wordless);
  // A cut-off answer may be empty.
  if (!said) return failed(result.answer.body ? outcomes.failed.unconfirmed : outcomes.failed.unreachable);
  return { sent: true, toast: outcomes.sent, at: result.answer.at || Date.now() };
}

/** The catalogue's words for a call that throws. Its sentence already ends the message's with a period. */
export function failed(message: string, stamp = form.unsure): Outcome {
  const reason = message.replace(/\.$/, '');
  const { title, description } = outcomes.failed;
  return {
    sent: false,
    stamp,
    reason: `${reason}.`,
    toast: { title, description: description.replace('{message}', () => reason), variant: 'destructive' },
  };
}

/** Whatever content type it came with. */
function objectIn(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return value instanceof Object && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown, wasOffline: boolean): string {
  // Importing the class would bring the whole client along.
  if (error instanceof Error && error.name === 'FunctionsFetchError')
    return wasOffline && navigator.onLine === false ? outcomes.failed.offline : outcomes.failed.unreachable;
  return outcomes.failed.other.replace('{message}', () => textOf(error));
}

function textOf(error: unknown): string {
  if (error instanceof Object) {
    return 'message' in error && error.message ? String(error.message) : JSON.stringify(error);
  }
  return String(error);
}
