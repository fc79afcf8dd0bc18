import type { Logger as Log } from 'pino';
import { Temporal } from 'temporal-polyfill';
import { promisedMs } from '../../contract/promise.ts';
import type { TimeOfDay } from '../../settings/checks.ts';
import type { Settings } from '../../settings/settings.ts';
import { classifyMailError } from '../mail/faults.ts';
import type { Mailer } from '../mail/mail.ts';
import { composeReminder } from '../mail/notification.ts';
import type { Database } from '../messages/database.ts';
import { toRemind } from '../messages/queries.ts';
import { setReminded } from '../messages/states.ts';
import { lastAt } from './schedule.ts';

const HOUR_MS = 3_600_000;
/** How much of the promised time is left at a reminder: 4 of 24 hours. */
const leftMs = () => promisedMs() / 6;
/** Before the quiet hours, so that a failed try can be repeated. */
const EARLY_MS = HOUR_MS;
/** In 24 hours. Behind more there's a flood, or an owner who can't answer now; the desk lists them. */
const MOST_A_DAY = 20;

type Quiet = Pick<Settings, 'quietHours' | 'timeZone'>;

type Parts = {
  database: Database;
  mailer: Mailer;
  settings: Quiet & Parameters<typeof composeReminder>[2];
  log: Log;
};

/** The quiet hours that the time is in, in milliseconds since 1970. */
function quietAt(time: number, { quietHours, timeZone }: Quiet) {
  if (!quietHours) return undefined;
  const { from, until } = quietHours;
  const here = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
  const minutes = (of: TimeOfDay) => 60 * of.hour + of.minute;
  const [now, start, end] = [minutes(here), minutes(from), minutes(until)];
  // By what the clock shows, since it's quiet both times if an hour of the night repeats.
  if (start < end ? now < start || now >= end : now < start && now >= end) return undefined;
  const today = here.toPlainDate();
  const ends = [today, today.add({ days: 1 })].flatMap((day) =>
    (['earlier', 'later'] as const).map(
      (which) =>
        day.toPlainDateTime(until).toZonedDateTime(timeZone, { disambiguation: which }).epochMilliseconds,
    ),
  );
  return { startsAt: lastAt(time, from, timeZone), endsAt: Math.min(...ends.filter((each) => each > time)) };
}

/**
 * When the owner is reminded of a message. If that falls into her quiet hours, it's when they end, if half of the time
 * for an answer is left then; otherwise it's before they begin, unless that's sooner than half of the promised time.
 */
export function remindAt(receivedAt: number, settings: Quiet): number {
  const usual = receivedAt + promisedMs() - leftMs();
  const quiet = quietAt(usual, settings);
  if (!quiet) return usual;
  const early = quiet.startsAt - EARLY_MS;
  const isEnough = quiet.endsAt <= usual + leftMs() / 2;
  return isEnough || early < receivedAt + promisedMs() / 2 ? quiet.endsAt : early;
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
  if (quietAt(now, settings)) return;
  const faults: unknown[] = [];
  for (const message of await toRemind(database, now, {
    after: now - 2 * promisedMs(),
    mostADay: MOST_A_DAY,
  })) {
    const { id, receivedAt } = message;
    const at = remindAt(receivedAt, settings);
    if (at > now || !(await setReminded(database, id, now))) continue;
    try {
      await mailer.send(composeReminder(message, at, settings), signal);
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
