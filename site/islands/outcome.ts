import { FunctionsFetchError } from '@supabase/functions-js';
import { FIELD_NAMES } from '../../contract/contact-message.ts';
import { outcomes } from '../content/contact-form.ts';
import { type Fault, failed, type Outcome, withReplyTime } from './outcome-words.ts';

/** What the functions client returns, plus the response if there was one. */
export type CallResult = { data: unknown; error: unknown; answer: Response | undefined };

/**
 * The three cases of the error catalogue. A body with `error` is a refusal at any status. Any other 2xx is success,
 * even with an unreadable body: the status alone says the message was stored.
 */
export async function outcomeOf({ data, error, answer }: CallResult): Promise<Outcome> {
  const refusal = refusalIn(error ? await unreadBody(error) : data);
  if (refusal) {
    const { error: reason, fault } = refusal;
    const toast = { ...outcomes.refused, description: reason, variant: 'destructive' } as const;
    return { sent: false, toast, fault, reason };
  }
  if (!error || (answer?.ok && !isUnread(error))) {
    const { sent } = outcomes;
    return { sent: true, toast: { ...sent, description: withReplyTime(sent.description) } };
  }
  return failed(messageOf(error));
}

/** The client leaves a refused call's response unread, as `context`. */
function isUnread(error: unknown): error is { context: Response } {
  return error instanceof Object && 'context' in error && error.context instanceof Response;
}

async function unreadBody(error: unknown): Promise<unknown> {
  if (!isUnread(error)) return undefined;
  return error.context.text().catch(() => undefined);
}

function refusalIn(body: unknown): { error: string; fault?: Fault | undefined } | undefined {
  const value = typeof body === 'string' ? parsed(body) : body;
  if (!(value instanceof Object && 'error' in value && value.error)) return undefined;
  const error = textOf(value.error);
  const named = 'field' in value ? value.field : undefined;
  const field = FIELD_NAMES.find((name) => name === named);
  return { error, fault: field && { field, error } };
}

/** For functions that send JSON without its content type. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  if (error instanceof FunctionsFetchError) {
    return navigator.onLine === false ? outcomes.failed.offline : outcomes.failed.unreachable;
  }
  // What the client says of such a response is meant for programmers.
  if (isUnread(error)) return outcomes.failed.wordless;
  return outcomes.failed.other.replace('{message}', () => textOf(error));
}

function textOf(error: unknown): string {
  if (error instanceof Object) {
    return 'message' in error && error.message ? String(error.message) : JSON.stringify(error);
  }
  return String(error);
}
