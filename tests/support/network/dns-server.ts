import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED } from 'dns-packet';
import { onTestFinished } from 'vitest';

/** What a name answers; `broken` is a server failure. A name that isn't here doesn't exist. */
export type Zone = Record<string, { TXT?: string[]; MX?: string[] } | 'broken'>;

const SERVFAIL = 2;
const NXDOMAIN = 3;

/** Queries a real DNS server on a free loopback port, which knows only this zone, until the test ends. */
export async function resolverOf(zone: Zone): Promise<Resolver> {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, sender) => {
    const query = decode(bytes);
    const [question] = query.questions ?? [];
    if (!question) return;
    const entry = zone[question.name.toLowerCase()];
    const code = entry === undefined ? NXDOMAIN : entry === 'broken' ? SERVFAIL : 0;
    const { name, type } = question;
    const { TXT = [], MX = [] } = typeof entry === 'object' ? entry : {};
    const texts = TXT.map((data) => ({ type: 'TXT' as const, name, data }));
    const hosts = MX.map((exchange, preference) => ({
      type: 'MX' as const,
      name,
      data: { preference, exchange },
    }));
    socket.send(
      encode({
        type: 'response',
        id: query.id ?? 0,
        flags: RECURSION_DESIRED | RECURSION_AVAILABLE | code,
        questions: [question],
        answers: type === 'MX' ? hosts : texts,
      }),
      sender.port,
      sender.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void socket.close());
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return resolver;
}
