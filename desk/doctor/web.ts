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
