import type { Settings } from '../../settings/settings.ts';

type Known = Pick<Settings, 'siteUrl' | 'allowedOrigins'>;

/** Where a request says it comes from. */
export type Sender = { kind: 'own' | 'unknown' | 'allowed' | 'foreign'; origin?: string };

export function senderOf(request: Request, { siteUrl, allowedOrigins }: Known): Sender {
  const origin = request.headers.get('origin');
  if (!origin) return { kind: 'unknown' };
  // From a sandboxed frame or a local file, which could be anyone's; or our own form under a strict referrer policy.
  if (origin === 'null') {
    const isOwn = request.headers.get('sec-fetch-site') === 'same-origin';
    return { kind: allowedOrigins === undefined || isOwn ? 'unknown' : 'foreign' };
  }
  // By host alone: behind a proxy, the scheme we see isn't the visitor's.
  if (URL.parse(origin)?.host === (request.headers.get('host') ?? new URL(request.url).host)) {
    return { kind: 'own', origin };
  }
  const allowed =
    allowedOrigins === undefined || isOriginOf(origin, siteUrl) || allowedOrigins.includes(origin);
  return { kind: allowed ? 'allowed' : 'foreign', origin };
}

function isOriginOf(origin: string, address: string | undefined): boolean {
  return address !== undefined && URL.parse(address)?.origin === origin;
}

const CORS = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers':
    'authorization, x-client-info, apikey, content-type, x-region, x-retry-count, idempotency-key, traceparent, tracestate, baggage',
  'access-control-expose-headers': 'retry-after, x-request-id',
  'access-control-max-age': '86400',
};

/** On every response, even refusals: without them, a page can't even read why it was refused. */
export function corsHeaders(sender: Sender, { allowedOrigins }: Known): Record<string, string> {
  if (allowedOrigins === undefined) return { ...CORS, 'access-control-allow-origin': '*' };
  const allow = sender.origin !== undefined && sender.kind !== 'foreign';
  return {
    ...CORS,
    vary: 'Origin',
    ...(allow && { 'access-control-allow-origin': sender.origin }),
  };
}
