import { FunctionsClient } from '@supabase/functions-js';
import {
  CLIENT_INFO,
  type ContactMessage,
  eachField,
  FUNCTION_NAME,
} from '../../contract/contact-message.ts';

/** Long enough for a slow connection, short enough not to leave visitors waiting. */
const TIMEOUT = 30_000;
/** Browsers carry on with at most 64 KiB once the page is left. In UTF-8, that's three bytes each. */
const MOST_CARRIED = 20_000;

/** The outcome of the call: the whole answer, or why there's none. */
export type CallResult = { answer: Answered } | { error: unknown };

/** `at` is the server's time, in milliseconds since 1970, if it can be seen. */
type Answered = { ok: boolean; body: string; at?: number };

/** The address is the function's, and absolute, since the client parses it. */
export async function sendMessage(
  message: ContactMessage,
  address: string,
  key: string,
  info: string,
): Promise<CallResult> {
  // The client decodes by content type, and hides what it can't decode. What counts is what the body says.
  let answer: Answered | undefined;
  const client = new FunctionsClient(address.slice(0, -FUNCTION_NAME.length - 1), {
    headers: { ...keyHeaders(key), [CLIENT_INFO]: info },
    customFetch: async (input, init) => {
      const keepalive = String(init?.body).length < MOST_CARRIED;
      const response = await fetch(input, { ...init, keepalive });
      // Read here, so that the timeout covers it.
      const body = await response.text();
      const isFunction = !response.redirected || response.url.endsWith(`/${FUNCTION_NAME}`);
      const at = Date.parse(response.headers.get('date') ?? '');
      answer = { ok: response.ok && isFunction && !response.headers.has('x-relay-error'), body, at };
      return new Response();
    },
  });
  const { error } = await client.invoke(FUNCTION_NAME, {
    body: eachField((field) => message[field] ?? ''),
    timeout: TIMEOUT,
  });
  return answer ? { answer } : { error };
}

/** Only the older keys are JWTs. A publishable key is refused as a Bearer token. */
export function keyHeaders(key: string): Record<string, string> {
  const isToken = key.startsWith('eyJ') && key.split('.').length === 3;
  return isToken ? { apikey: key, Authorization: `Bearer ${key}` } : { apikey: key };
}
