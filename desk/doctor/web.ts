import * as v from 'valibot';

/** An answer, or why there was none. */
export type Answered =
  | { status: number; headers: Headers; text: string }
  /** An error code such as `ECONNREFUSED`, or `ETIMEDOUT`. */
  | { failed: string };

export const BAD_PORT = 'bad port';

const ASK_MS = 6_000;

/** One request, to its end; a redirection is an answer too. */
export async function ask(
  url: string,
  signal: AbortSignal,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Answered> {
  try {
    const response = await fetch(url, {
      ...init,
      // Named, so that it counts as nobody's visit.
      headers: { 'user-agent': 'desk-doctor (bot)', ...init.headers },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    return { failed: codeOf(error) };
  }
}

/** What isn't a JSON object is as good as an empty one. */
export const parseJson = v.parser(
  v.fallback(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown())), {}),
);

/** `fetch` wraps the cause once, and once more where it tried several addresses. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'ETIMEDOUT';
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  // Ports of other protocols, which neither `fetch` nor a browser asks.
  if (error.message === BAD_PORT) return BAD_PORT;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return inner === undefined ? error.name : codeOf(inner);
}

/** Renewal by machine is usually done a month ahead; what is left later than this was forgotten. */
const SOON_DAYS = 14;

const FAULTS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'shows a certificate that has expired.',
  CERT_NOT_YET_VALID: 'shows a certificate that is not valid yet; is this machine’s clock right?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows a certificate for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'shows a certificate that it has signed itself.',
  SELF_SIGNED_CERT_IN_CHAIN: 'shows a certificate from an authority that this machine does not know.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'shows a certificate from an authority that this machine does not know.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'shows a certificate without the ones that vouch for it.',
  CERT_REVOKED: 'shows a certificate that was revoked.',
};

/** The rest of a sentence that begins with the host; undefined when the error is about something else. */
export function certificateFault(code: string): string | undefined {
  return FAULTS[code];
}

/** @param validTo as a certificate writes it */
export function certificateLife(validTo: string, now: number): { soon: boolean; text: string } {
  const days = Math.floor((Date.parse(validTo) - now) / 86_400_000);
  if (days < 0) return { soon: true, text: 'has expired' };
  const left = days === 1 ? '1 more day' : `${days} more days`;
  return { soon: days < SOON_DAYS, text: `is valid for ${left}` };
}
