import type { Logger as Log } from 'pino';
import { DAY, HOUR } from '../../contract/time.ts';
import { classifyMailError } from '../mail/faults.ts';
import { composeReminder } from '../mail/mails.ts';
import type { Mailer } from '../mail/transport.ts';
import type { Database } from '../messages/database.ts';
import { toRemind } from '../messages/queries.ts';
import { setReminded } from '../messages/states.ts';
import { lastAt } from './schedule.ts';

/** How much of the promised time is left at a reminder: 4 of 24 hours. */
const LEFT = 1 / 6;
/** By the owner's clock. At night no reminder comes. */
const MORNING = { hour: 8, minute: 0 };
const EVENING = { hour: 20, minute: 0 };
/** Before the evening, so that a failed try can be repeated. */
const EARLY_MS = HOUR;
/** In 24 hours. Behind more there's a flood, or an owner who can't answer now; the desk lists them. */
const MOST_A_DAY = 20;

type Parts = {
  database: Database;
  mailer: Mailer;
  settings: Parameters<typeof composeReminder>[2];
  log: Log;
};

/** The night that the time is in, in milliseconds since 1970. */
function nightAt(time: number, timeZone: string) {
  const startsAt = lastAt(time, EVENING, timeZone);
  const endsAt = lastAt(startsAt + DAY, MORNING, timeZone);
  return time < endsAt ? { startsAt, endsAt } : undefined;
}

/**
 * When the owner is reminded of a message. If that falls into the night, it's in the morning, if half of the time for an
 * answer is left then; otherwise it's in the evening before, unless that's sooner than a third of the promised time.
 */
export function remindAt(receivedAt: number, timeZone: string, promisedMs: number): number {
  const leftMs = promisedMs * LEFT;
  const usual = receivedAt + promisedMs - leftMs;
  const night = nightAt(usual, timeZone);
  if (!night) return usual;
  const early = night.startsAt - EARLY_MS;
  const isEnough = night.endsAt <= usual + leftMs / 2;
  return isEnough || early < receivedAt + promisedMs / 3 ? night.endsAt : early;
}

/**
 * Mails the reminders that are due, even if the server was off at their time, until a message is as late as its time
 * was long. Each is noted before it's sent, so no other server sends it too, and none comes twice after a crash.
 *
 * @throws if the mail server doesn't take one; it's due again then
 */
export async function remind(
  { database, mailer, settings, log }: Parts,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  if (nightAt(now, settings.timeZone)) return;
  const replyHours = database.replyHours();
  const promisedMs = replyHours * HOUR;
  const faults: unknown[] = [];
  for (const message of await toRemind(database, now, {
    after: now - 2 * promisedMs,
    mostADay: MOST_A_DAY,
  })) {
    const { id, receivedAt } = message;
    const at = remindAt(receivedAt, settings.timeZone, promisedMs);
    if (at > now || !(await setReminded(database, id, now))) continue;
    try {
      await mailer.send(composeReminder(message, { at, replyHours }, settings), signal);
      log.info({ id }, 'reminder sent');
    } catch (error) {
      const { kind, label } = classifyMailError(error);
      if (kind === 'refused') {
        log.error({ id, fault: label }, 'reminder given up: the mail server does not take it');
        continue;
      }
      await setReminded(database, id, null);
      faults.push(error);
      // One that's put off mustn't hold up the others, but the mail server won't take any now.
      if (kind !== 'retry') break;
    }
  }
  if (faults.length > 0) throw faults[0];
}
