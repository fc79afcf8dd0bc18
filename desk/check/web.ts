import * as v from 'valibot';
import type { Finding, Subject } from './finding.ts';

/** An answer, or the code of the error in its place, such as `ECONNREFUSED` or `ETIMEDOUT`. */
export type Answered = { status: number; headers: Headers; text: string } | { failed: string };

const ASK_MS = 6_000;

/** Doesn't follow redirects. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answered> {
  try {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(ASK_MS),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    return { failed: causeOf(error) };
  }
}

/** Anything but a JSON object gives an empty object. */
export const parseJson = v.parser(
  v.fallback(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown())), {}),
);

/** `fetch` wraps the cause, twice if it tried several addresses. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'ETIMEDOUT';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner === undefined ? error.name : causeOf(inner);
}

/** What completes a sentence that starts with the host; undefined if the error isn't about its certificate. */
export function certificateFault(code: string): string | undefined {
  if (code === 'CERT_HAS_EXPIRED') return 'shows a certificate that has expired.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'shows a certificate for another name.';
  return /CERT|SIGN/.test(code) ? `shows a certificate that nobody known vouches for (${code}).` : undefined;
}

export function unreachable(subject: Subject, { host }: URL, code: string): Finding {
  const certificate = certificateFault(code);
  if (certificate)
    return subject.wrong(`${host} ${certificate} Browsers refuse it.`, 'Give that host a valid one.');
  const typo = 'Check it for a typo, and the DNS of that domain. A new name can take some hours.';
  if (code === 'ENOTFOUND') return subject.wrong(`${host} wasn’t found from this machine.`, typo);
  const todo = 'Open the page from another network, such as your phone’s, and send yourself a message.';
  return subject.look(`${host} can’t be reached from this machine (${code}).`, todo);
}
