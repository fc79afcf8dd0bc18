import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { cors } from 'hono/cors';
import { expandIPv6 } from 'hono/utils/ipaddr';
import { inRanges, isLocalNetwork } from '../../settings/local-network.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';

/**
 * A visitor's own address. Each proxy appends the one it was called from, so the list is read from the end for as long as
 * the reporter is one of those in `trustProxy`; anything further left may be made up.
 */
export function addressFinder(trustProxy: readonly string[], log: Log) {
  const trusted = inRanges(trustProxy);
  let hasWarned = false;
  return (peer: string | undefined, forwardedFor: string | null): string => {
    let address = plainAddress(peer ?? '');
    // A closed connection has no address; all of those count as one client.
    if (!address) return 'unknown';
    // Most likely the owner's own proxy, unless it names only itself, as a function's gateway may.
    if (!hasWarned && forwardedFor && forwardedFor !== peer && !trusted(address) && isLocalNetwork(address)) {
      log.warn('a proxy that TRUST_PROXY does not name forwards the visitors; all of them count as one');
      hasWarned = true;
    }
    const reported = (forwardedFor ?? '').split(',');
    while (trusted(address)) {
      const next = plainAddress(reported.pop() ?? '');
      if (!next) break;
      address = next;
    }
    return address;
  };
}

/** One IPv6 customer has a whole /64 of addresses, and may have a /48 of those. */
export function networksOf(address: string): { own: string; around?: string } {
  if (isIP(address) !== 6) return { own: address };
  // So that each has only one spelling.
  const groups = expandIPv6(address.toLowerCase()).split(':');
  const network = (count: number) => `${groups.slice(0, count).join(':')}::/${16 * count}`;
  return { own: network(4), around: network(3) };
}

/** Without port, brackets or zone, and with IPv4-mapped addresses as IPv4. Empty if there's none. */
function plainAddress(text: string): string {
  const trimmed = text.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) ? address : '';
}

/** Sent as `apikey`, as a Bearer token, or both, by a client's age. A signed-in user's token comes beside an `apikey`. */
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

export type Sender = 'own' | 'unknown' | 'allowed' | 'foreign';

export function senderOf({ headers, url }: Request, { siteUrl, allowedOrigins }: Settings): Sender {
  const origin = headers.get('origin');
  // A sandboxed frame or a local file, which could be anyone's; or our own form under a strict referrer policy.
  const mayBeOurs = !allowedOrigins || headers.get('sec-fetch-site') === 'same-origin';
  if (!origin || (origin === 'null' && mayBeOurs)) return 'unknown';
  // By host alone: behind a proxy, the scheme we see isn't the visitor's.
  if (URL.parse(origin)?.host === (headers.get('host') ?? new URL(url).host)) return 'own';
  const isListed = allowedOrigins?.includes(origin) || siteUrl === origin;
  return allowedOrigins === undefined || isListed ? 'allowed' : 'foreign';
}

/** For every answer, even refusals: without these headers, a page can't even read why it was refused. */
export function corsFor(settings: Settings) {
  return cors({
    origin: settings.allowedOrigins
      ? (origin, c) => (origin === 'null' || senderOf(c.req.raw, settings) === 'foreign' ? null : origin)
      : '*',
    allowMethods: ['POST', 'OPTIONS'],
    allowHeaders: [
      ...['authorization', 'x-client-info', 'apikey', 'content-type', 'x-region', 'x-retry-count'],
      ...['idempotency-key', 'traceparent', 'tracestate', 'baggage'],
    ],
    exposeHeaders: ['retry-after', 'x-request-id'],
    maxAge: 86_400,
  });
}
