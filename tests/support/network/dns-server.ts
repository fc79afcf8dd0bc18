import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { type Answer, decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED } from 'dns-packet';
import { onTestFinished } from 'vitest';

/** What a name answers; `broken` is a server failure. A name that isn't here doesn't exist. */
export type Zone = Record<string, { TXT?: string[]; MX?: string[] } | 'broken'>;

const SERVFAIL = 2;
const NXDOMAIN = 3;

/** Asks a real DNS server on a free loopback port, which knows only this zone, until the test ends. */
export async function resolverOf(zone: Zone): Promise<Resolver> {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, sender) => {
    const query = decode(bytes);
    const [question] = query.questions ?? [];
    if (!question) return;
    const entry = zone[question.name.toLowerCase()];
    const code = entry === undefined ? NXDOMAIN : entry === 'broken' ? SERVFAIL : 0;
    const all = typeof entry === 'object' ? records(question.name, entry) : [];
    const answers = all.filter(({ type }) => type === question.type);
    socket.send(
      encode({
        type: 'response',
        id: query.id ?? 0,
        flags: RECURSION_DESIRED | RECURSION_AVAILABLE | code,
        questions: [question],
        answers,
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

function records(name: string, { TXT = [], MX = [] }: Exclude<Zone[string], string>): Answer[] {
  return [
    ...TXT.map((text) => ({ type: 'TXT', name, data: text }) as const),
    ...MX.map(
      (exchange, at) => ({ type: 'MX', name, data: { preference: 10 * at + 10, exchange } }) as const,
    ),
  ];
}
