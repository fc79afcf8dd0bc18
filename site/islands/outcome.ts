import { FIELD_NAMES } from '../../contract/contact-message.ts';
import { type Fault, failed, type Outcome } from './outcome-words.ts';
import { pageData } from './page-data.ts';
import type { CallResult } from './send-message.ts';

const { outcomes, form } = pageData;

/**
 * The three cases of the error catalogue. A JSON object with `error` is a refusal at any status, and one without is
 * success at a good one: the function itself has said so. A Wi-Fi's login page or a proxy says something else.
 */
export function outcomeOf(result: CallResult): Outcome {
  if (!('answer' in result)) return failed(messageOf(result.error));
  const said = objectIn(result.answer.body);
  if (said?.error) {
    const reason = textOf(said.error);
    const field = FIELD_NAMES.find((name) => name === said.field);
    const fault: Fault | undefined = field && { field, error: reason };
    const toast = { ...outcomes.refused, description: reason, variant: 'destructive' } as const;
    return { sent: false, toast, stamp: form.failed, fault, reason };
  }
  if (!result.answer.ok) return failed(outcomes.failed.wordless);
  if (!said) return failed(outcomes.failed.unconfirmed);
  return { sent: true, toast: outcomes.sent };
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

function messageOf(error: unknown): string {
  // The class would bring the whole client along.
  if (error instanceof Error && error.name === 'FunctionsFetchError')
    return navigator.onLine === false ? outcomes.failed.offline : outcomes.failed.unreachable;
  return outcomes.failed.other.replace('{message}', () => textOf(error));
}

function textOf(error: unknown): string {
  if (error instanceof Object) {
    return 'message' in error && error.message ? String(error.message) : JSON.stringify(error);
  }
  return String(error);
}
