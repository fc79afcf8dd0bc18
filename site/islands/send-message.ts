import { FunctionsClient } from '@supabase/functions-js';
import {
  CLIENT_INFO,
  type ContactMessage,
  eachField,
  FUNCTION_NAME,
} from '../../contract/contact-message.ts';
import { outcomeOf } from './outcome.ts';
import type { Outcome } from './outcome-words.ts';

/** Long enough for a slow connection, short enough not to leave visitors waiting. */
const TIMEOUT = 30_000;

/**
 * @param functionsUrl must be absolute, since the client parses it
 * @param info from `clientInfo`
 */
export async function sendMessage(
  message: ContactMessage,
  functionsUrl: string,
  key: string,
  info: string,
): Promise<Outcome> {
  // The client doesn't report the status of a response whose body was cut off.
  let answer: Response | undefined;
  const client = new FunctionsClient(functionsUrl, {
    headers: { ...keyHeaders(key), [CLIENT_INFO]: info },
    customFetch: async (input, init) => {
      answer = await fetch(input, init);
      return answer;
    },
  });
  const { data, error } = await client.invoke<unknown>(FUNCTION_NAME, {
    body: eachField((field) => message[field] ?? ''),
    timeout: TIMEOUT,
  });
  return outcomeOf({ data, error, answer });
}

/** Only the older keys are JWTs. A publishable key is refused as a Bearer token. */
export function keyHeaders(key: string): Record<string, string> {
  const isToken = key.startsWith('eyJ') && key.split('.').length === 3;
  return isToken ? { apikey: key, Authorization: `Bearer ${key}` } : { apikey: key };
}
