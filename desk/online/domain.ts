import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

// Whether the domain leads to the server, as far as this laptop sees.

/** Per DNS server. */
const ASK = { timeout: 2_500, tries: 2 };
const KNOCK_MS = 5_000;
const LOOK_MS = 2_000;

export async function addressesOf(host: string, dnsServer: string | undefined): Promise<string[]> {
  const resolver = new Resolver(ASK);
  if (dnsServer) resolver.setServers([dnsServer]);
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

/** The same name with www, or without. */
export const twinOf = (host: string) => (host.startsWith('www.') ? host.slice(4) : `www.${host}`);

/** What to do at the registrar. Undefined if the host leads to the server and nowhere else. */
export async function whatToSet(
  host: string,
  server: readonly string[],
  dnsServer: string | undefined,
): Promise<string | undefined> {
  const found = await addressesOf(host, dnsServer);
  const elsewhere = found.filter((address) => !server.includes(address));
  if (found.length > 0 && elsewhere.length === 0) return undefined;
  const [first = ''] = server;
  const labels = host.split('.');
  const name = labels.length === 2 ? '@' : labels[0];
  const remove = elsewhere.map(
    (address) =>
      `  Delete this one:  Type ${address.includes(':') ? 'AAAA' : 'A'}   Name ${name}   Value ${address}\n`,
  );
  return `${host} doesn’t lead to your server yet${elsewhere.length > 0 ? `, but to ${elsewhere.join(' and ')}` : ''}. Where you bought the domain, under “DNS”:

${remove.join('')}  Add this one:     Type ${first.includes(':') ? 'AAAA' : 'A'}   Name ${name}   Value ${first}

(Some ask for the whole name: ${host} instead of ${name}.) It then takes from a minute to some hours.`;
}

/** Whether somebody listens there; providers often close all ports but 22. */
export async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: KNOCK_MS });
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      for (const event of ['error', 'timeout'] as const) socket.once(event, () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

/** Asks until the site answers there, or time is up. */
export async function answersWithin(address: string, ms: number): Promise<boolean> {
  for (const until = Date.now() + ms; ; ) {
    const response = await fetch(address, { signal: AbortSignal.timeout(KNOCK_MS) }).catch(() => undefined);
    if (response?.ok) return true;
    if (Date.now() > until) return false;
    await wait(LOOK_MS);
  }
}
