import { isIP } from 'node:net';
import { isNear } from '../../settings/near.ts';

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
  return forwardedFor !== null && direct !== '' && !trusted(direct) && isNear(direct);
}

/** One IPv6 customer has a whole /64 of addresses, and would otherwise never hit a limit. */
export function clientKey(address: string): string {
  return isIP(address) === 6 ? `${ipv6Groups(address).slice(0, 4).join(':')}::/64` : address;
}

/** Without port, brackets or zone, and with IPv4-mapped addresses as IPv4. Empty if there's none. */
function plainAddress(text: string): string {
  const trimmed = text.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(/%.*$/, '');
  if (isIP(address) !== 6) return isIP(address) ? address : '';
  const groups = ipv6Groups(address);
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return address;
  const bytes = groups.slice(6).flatMap((group) => {
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 255];
  });
  return bytes.join('.');
}

/** The eight groups in lower case without leading zeros, so that an address has only one spelling. */
function ipv6Groups(address: string): string[] {
  // The URL parser shortens every spelling to the same one, even with an IPv4 part at the end.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left = '', right] = short.split('::');
  const head = left.split(':').filter(Boolean);
  const tail = (right ?? '').split(':').filter(Boolean);
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}
