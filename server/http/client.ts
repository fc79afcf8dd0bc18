import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { isLocalNetwork } from '../../settings/local-network.ts';
import type { Settings } from '../../settings/settings.ts';

/** Whether an address is one of our own proxies. */
type Trusted = (address: string) => boolean;

/**
 * The visitor's own address. Each proxy appends the address it was called from, so the list is read from the end for as
 * long as the reporter is one of ours; anything further left may be made up.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  trusted: Trusted,
): string {
  let address = plainAddress(peer ?? '');
  // A closed connection has no address; all of those count as one client.
  if (!address) return 'unknown';
  const reported = (forwardedFor ?? '').split(',');
  while (trusted(address)) {
    const next = plainAddress(reported.pop() ?? '');
    if (!next) break;
    address = next;
  }
  return address;
}

/** Whether a neighbour that TRUST_PROXY doesn't name forwards for others: most likely the owner's own proxy. */
export function isForgottenProxy(peer: string | undefined, forwardedFor: string | null, trusted: Trusted) {
  const direct = plainAddress(peer ?? '');
  return forwardedFor !== null && direct !== '' && !trusted(direct) && isLocalNetwork(direct);
}

/** One IPv6 customer has a whole /64 of addresses, and may have a /48 of those. */
export function networksOf(address: string): { own: string; around?: string } {
  if (isIP(address) !== 6) return { own: address };
  const network = (groups: number) => `${ipv6Groups(address).slice(0, groups).join(':')}::/${16 * groups}`;
  return { own: network(4), around: network(3) };
}

/** Without port, brackets or zone, and with IPv4-mapped addresses as IPv4. Empty if there's none. */
function plainAddress(text: string): string {
  const trimmed = text.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) ? address : '';
}

/** The eight groups in lower case without leading zeros, so that an address has only one spelling. */
function ipv6Groups(address: string): string[] {
  // The URL parser shortens every spelling to the same one, even with an IPv4 part at the end.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = short.split('::').map((part) => part.split(':').filter(Boolean));
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}

/**
 * Clients send the key as `apikey`, as a Bearer token, or both, depending on their age and the kind of key. With a
 * signed-in user, a client sends that user's token alongside a valid `apikey`.
 */
export function checkKey(headers: Headers, keys: readonly string[]): 'noKey' | 'wrongKey' | undefined {
  const sent = [headers.get('apikey'), bearerOf(headers)].filter((value) => !!value);
  if (sent.some((value) => keys.some((key) => sameText(value ?? '', key)))) return undefined;
  return sent.length > 0 || headers.has('authorization') ? 'wrongKey' : 'noKey';
}

export function bearerOf(headers: Headers): string | undefined {
  return /^Bearer\s+(.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

/** Takes the same time wherever the difference is; hashing makes the lengths equal. */
export function sameText(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

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
  const isListed = allowedOrigins?.includes(origin) || (siteUrl && URL.parse(siteUrl)?.origin === origin);
  return { kind: allowedOrigins === undefined || isListed ? 'allowed' : 'foreign', origin };
}

const CORS = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers':
    'authorization, x-client-info, apikey, content-type, x-region, x-retry-count, idempotency-key, traceparent, tracestate, baggage',
  'access-control-expose-headers': 'retry-after, x-request-id',
  'access-control-max-age': '86400',
};

/** On every response, even refusals: without them, a page can't even read why it was refused. */
export function corsHeaders({ kind, origin }: Sender, { allowedOrigins }: Known): Record<string, string> {
  if (allowedOrigins === undefined) return { ...CORS, 'access-control-allow-origin': '*' };
  const allow = origin !== undefined && kind !== 'foreign';
  return { ...CORS, vary: 'Origin', ...(allow && { 'access-control-allow-origin': origin }) };
}
