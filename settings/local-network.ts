import { BlockList, isIP } from 'node:net';

export function inRanges(ranges: readonly string[]): (address: string) => boolean {
  const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits = isIP(address) === 6 ? 128 : 32] = range.split('/');
    list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => list.check(address, familyOf(address));
}

/** The last two mean all interfaces; connecting to them also ends up here. */
const isLoopback = inRanges(['127.0.0.0/8', '::1', '0.0.0.0', '::']);
const isPrivate = inRanges([
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
  ...['fc00::/7', 'fe80::/10'],
]);

/** @param host a name or an address, IPv6 with or without brackets */
export function isThisMachine(host: string): boolean {
  const bare = bareHost(host);
  return isIP(bare) ? isLoopback(bare) : /(^|\.)localhost$/.test(bare);
}

/** On this machine or in a private network, by name or address. A path is a Unix socket. */
export function isLocalNetwork(host: string): boolean {
  const bare = bareHost(host);
  if (isThisMachine(bare) || host.startsWith('/')) return true;
  return isIP(bare) ? isPrivate(bare) : !bare.includes('.') || /\.(internal|local)$/.test(bare);
}

function bareHost(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
}
