import type { ContactMessage } from '../../contract/contact-message.ts';
import { inTime } from '../clock.ts';
import type { Database } from './database.ts';
import { judgedMessages, lastJudgedAt } from './queries.ts';
import { copyKey, type KnownSign, linkedHosts } from './suspicion.ts';

type Judged = Pick<ContactMessage, 'email' | 'message'>;

/** The newest of each sort: always as fast, however many there are. */
const REMEMBERED = 500;
/** How long what's erased or answered may wait until it counts. A judgement counts at once. */
const FRESH_MS = 60_000;
/** A message waits at most this long for it. */
const PATIENCE_MS = 1_000;

/**
 * What a message shares with those that the owner called spam. Read anew from the stored messages, so all servers agree,
 * and what's erased is forgotten.
 *
 * @param own the owner's addresses, and the hosts of her site
 */
export function rememberSpam(database: Pick<Database, 'db' | 'clock'>, own: readonly string[]) {
  const { clock } = database;
  let known: Promise<(message: Judged) => KnownSign[]> | undefined;
  let readAt = 0;
  let judgedAt: number | undefined;
  async function signs(message: Judged): Promise<KnownSign[]> {
    const lastAt = await lastJudgedAt(database);
    if (!known || lastAt !== judgedAt || clock.ticks() - readAt >= FRESH_MS) {
      readAt = clock.ticks();
      judgedAt = lastAt;
      known = judgedMessages(database, REMEMBERED).then((judged) => knownFrom(judged, own));
    }
    return (await known)(message);
  }
  return (message: Judged) => inTime(signs(message), PATIENCE_MS, clock);
}

/**
 * What also came in a message that she answered or called no spam says nothing, nor do messages from her own addresses,
 * which are tests, and links to her own site.
 */
export function knownFrom({ spam, leads }: { spam: Judged[]; leads: Judged[] }, own: readonly string[]) {
  const mine = new Set(own.flatMap((each) => [each.toLowerCase(), each.replace(/^.*@/, '').toLowerCase()]));
  const fine = new Set(
    leads.flatMap((each) => [...traitsOf(each), ...linkedHosts(each).flatMap(withParents)]),
  );
  const bad = new Set(spam.filter(({ email }) => !mine.has(email.toLowerCase())).flatMap(traitsOf));
  const isKnown = (trait: string) => bad.has(trait) && !fine.has(trait);
  return (message: Judged): KnownSign[] => {
    const links = linkedHosts(message)
      .map(withParents)
      .filter((hosts) => !hosts.some((host) => mine.has(host)))
      .flatMap((hosts) => hosts.find(isKnown) ?? []);
    return [
      ...(isKnown(copyKey(message) ?? '') ? (['text'] as const) : []),
      ...(isKnown(message.email.toLowerCase()) ? (['sender'] as const) : []),
      ...[...new Set(links)].map((host) => `link:${host}` as const),
    ];
  };
}

function traitsOf(message: Judged): string[] {
  const text = copyKey(message);
  return [message.email.toLowerCase(), ...linkedHosts(message), ...(text === undefined ? [] : [text])];
}

/** `shop.pills.example` and `pills.example`. */
function withParents(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(1).map((_, at) => labels.slice(at).join('.'));
}
