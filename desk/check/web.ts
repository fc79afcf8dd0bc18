import * as v from 'valibot';
import type { Finding, Subject } from './finding.ts';

/** An answer, or why there was none. */
export type Answered =
  | { status: number; headers: Headers; text: string }
  /** An error code such as `ECONNREFUSED`, or `ETIMEDOUT`. */
  | { failed: string };

const ASK_MS = 6_000;

/** Doesn't follow redirects. */
export async function ask(
  url: string,
  signal: AbortSignal,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Answered> {
  try {
    const response = await fetch(url, {
      ...init,
      // Named as a bot, so that it isn't counted as a visit.
      headers: { 'user-agent': 'desk-doctor (bot)', ...init.headers },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]),
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

const UNKNOWN_AUTHORITY = 'shows a certificate from an authority that this machine doesn’t know.';
/** Each completes a sentence that starts with the host. */
export const CERTIFICATE_FAULTS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'shows a certificate that has expired.',
  CERT_NOT_YET_VALID: 'shows a certificate that is not valid yet; is this machine’s clock right?',
  CERT_REVOKED: 'shows a certificate that was revoked.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows a certificate for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'shows a certificate that it signed itself.',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'shows a certificate without its intermediate ones.',
};

export function unreachable(subject: Subject, { host }: URL, code: string): Finding {
  const certificate = CERTIFICATE_FAULTS[code];
  const todoName = 'Check its name for a typo, and the DNS of that domain.';
  if (certificate) {
    const todo = code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? todoName : 'Renew the certificate of that host.';
    return subject.wrong(`${host} ${certificate} Browsers refuse it.`, todo);
  }
  if (code === 'ENOTFOUND') return subject.wrong(`There’s no host ${host}.`, todoName);
  const todo = 'Open the page from another network, such as your phone’s, and send yourself a message.';
  return subject.look(`${host} could not be reached from this machine (${code}).`, todo);
}
