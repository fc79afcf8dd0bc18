import { dayAt } from '../../mail/day.ts';
import { shortId } from '../../messages/short-id.ts';
import { remindAt } from '../../outbox/reminders.ts';
import { lastAt } from '../../outbox/schedule.ts';
import type { Settings } from '../../settings/settings.ts';
import { awake, broken, type Facts, type Row, TIME_ZONE } from './facts.ts';
import type { Sending } from './mail-server.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A job that fails is tried again after half an hour, and looks may be ten minutes apart. */
const DONE_WITHIN = 45 * MINUTE;
/** For so long, a note from a clock that was wrong may put a job off. */
const NOTED_AHEAD = 2 * DAY;
/** A message that came at the last moment may be listed the next day. */
const STORED_WITHIN = MINUTE;
const MOST_LISTED = 50;
const MOST_REMINDERS_A_DAY = 20;
/** So long after its message, no reminder comes any more. */
const TOO_LATE = 48 * HOUR;
/** Several mails of one look may each take half a minute. */
const ONE_LOOK = 15 * MINUTE;

type Schedule = Pick<Settings, 'quietHours'>;

/** What must be true of the jobs: the list of suspected spam, reminders, and the purge. */
export function createJobPromises(facts: Facts, { quietHours }: Schedule) {
  const { world, plan, mails } = facts;
  const heldTime = { hour: 7, minute: 0 };
  const quiet = { quietHours, timeZone: TIME_ZONE };
  /** By the end of the listed message's id. */
  const listed = new Map<string, Sending[]>();
  /** Of the last 24 hours. */
  let reminders: Sending[] = [];

  /** Since when a server could do all that's due: awake, by the right time, with a mail server and room on the disk. */
  function wellSince(): number {
    if (!facts.mail.works || !facts.disk.works || !world.isClockRight()) return Infinity;
    const servers = awake(facts).map((process) => Math.max(process.bornAt, process.frozenUntil));
    return Math.max(Math.min(...servers), facts.mail.since, facts.disk.since, facts.clockSetAt);
  }

  /** A job that was cut short isn't repeated, and a wrong clock's notes and a full disk's missing ones may stop one. */
  function isExcused(since: number): boolean {
    return (
      Math.max(facts.crashedAt, facts.thawedAt, facts.disk.since, facts.clockSetAt + NOTED_AHEAD) >= since
    );
  }

  /** Only what the mail server didn't take, as far as the server knows, is mailed again. */
  function checkOnce(what: string, before: readonly Sending[], since = facts.clockSetAt): void {
    const others = before.filter(({ answer }) => answer !== 'failed' && answer !== 'refused');
    if (others.some(({ at }) => at > since)) throw broken(facts, `${what} is mailed twice`);
  }

  function checkReminder(next: Sending, id: string): void {
    const { process } = next;
    const now = world.now();
    const row = facts.rowOf(id);
    // Noted with its message, so no clock excuses it.
    checkOnce(`a reminder of ${id}`, mails.of(next.mail.id), 0);
    if (!row) throw broken(facts, `the owner is reminded of ${id}, which is gone`);
    if (row.answered_at !== null)
      throw broken(facts, `the owner is reminded of “${row.message}”, which is answered`);
    if (row.state !== 'sent')
      throw broken(facts, `the owner is reminded of “${row.message}”, which is ${row.state}`);
    // Noted with their messages, when their look began.
    reminders = reminders.filter(
      ({ at, answer, mail }) =>
        at > now - DAY + ONE_LOOK &&
        answer !== 'failed' &&
        !facts.erased.has(mail.id.replace('reminder-', '')),
    );
    if (!world.isClockRight() || facts.clockSetAt > now - TOO_LATE || process.frozenUntil > now - HOUR)
      return;
    if (new Set([...reminders, next].map(({ mail }) => mail.id)).size > MOST_REMINDERS_A_DAY)
      throw broken(facts, 'the owner gets too many reminders in a day');
    reminders.push(next);
    if (now < remindAt(row.received_at, quiet))
      throw broken(facts, `the reminder of “${row.message}” comes too soon`);
    if (isQuiet(now) && isQuiet(now - ONE_LOOK))
      throw broken(facts, `the reminder of “${row.message}” comes in the quiet hours`);
  }

  function isQuiet(time: number): boolean {
    if (!quietHours) return false;
    return lastAt(time, quietHours.from, TIME_ZONE) > lastAt(time, quietHours.until, TIME_ZONE);
  }

  /** Both name messages by the ends of their ids. */
  function checkNamed({ mail }: Sending): void {
    for (const [id] of mail.text.matchAll(/\b[\da-f]{8}\b/g))
      if (facts.rows(`where id like '%${id}'`).length === 0)
        throw broken(facts, `${mail.id} tells of ${id}, which is gone`);
  }

  function checkList(next: Sending): void {
    for (const [, id = ''] of next.mail.text.matchAll(/desk not-spam (\S+)/g)) {
      checkOnce(`suspected spam ${id}`, listed.get(id) ?? []);
      listed.set(id, [...(listed.get(id) ?? []), next]);
    }
  }

  function checkHeld(well: number, stored: Row[]): void {
    const now = world.now();
    const dueAt = lastAt(now, heldTime, TIME_ZONE);
    if (now - Math.max(dueAt, well) < DONE_WITHIN) return;
    const untold = stored.filter(
      ({ id, state, held_for: heldFor, received_at: receivedAt }) =>
        state === 'spam' &&
        heldFor !== null &&
        receivedAt < dueAt - 2 * STORED_WITHIN &&
        !isExcused(receivedAt) &&
        !listed.get(shortId(id))?.some(({ taken }) => taken),
    );
    if (untold[0] && untold.length < MOST_LISTED)
      throw broken(facts, `“${untold[0].message}” is held as suspected spam, and not listed`);
  }

  function checkReminded(well: number, stored: Row[]): void {
    const now = world.now();
    for (const { id, message, received_at: receivedAt, reminded_at: remindedAt, ...row } of stored) {
      if (row.state !== 'sent' || row.answered_at !== null || isExcused(receivedAt)) continue;
      const own = mails.of(`reminder-${id}`);
      const isTold = own.some(
        ({ taken, answer, at }) => taken || answer === 'refused' || at > now - DONE_WITHIN,
      );
      if (remindedAt !== null && !isTold)
        throw broken(facts, `“${message}” counts as reminded of, and no reminder arrived`);
      if (plan.reminders === 'off' || remindedAt !== null || reminders.length >= MOST_REMINDERS_A_DAY)
        continue;
      if (isQuiet(now) || isQuiet(now - DONE_WITHIN) || now > receivedAt + TOO_LATE) continue;
      const dueAt = Math.max(remindAt(receivedAt, quiet), row.sent_at ?? now);
      if (now - Math.max(dueAt, well) > DONE_WITHIN)
        throw broken(facts, `the owner isn't reminded of “${message}”`);
    }
  }

  function checkPurge(well: number, stored: Row[]): void {
    if (plan.retentionDays === 'off') return;
    const { startsAt } = dayAt(world.now(), TIME_ZONE);
    // After some days without a server, only the next day counts.
    if (well > startsAt - DAY || world.now() - startsAt < DONE_WITHIN || isExcused(startsAt)) return;
    const old = stored.find(
      ({ id, state, seen_at: seenAt }) =>
        state !== 'waiting' &&
        (seenAt ?? Infinity) < startsAt - Number(plan.retentionDays) * DAY &&
        // It may have been waiting then.
        (facts.owned.get(id) ?? 0) < startsAt &&
        (mails.of(id).at(-1)?.at ?? 0) < startsAt - HOUR,
    );
    if (old) throw broken(facts, `“${old.message}” is older than RETENTION_DAYS, and still there`);
  }

  return {
    wellSince,

    /** A mail of a job leaves a server. */
    onSend(next: Sending): void {
      const { id } = next.mail;
      if (!id.startsWith('reminder-')) checkNamed(next);
      if (id.startsWith('held-')) checkList(next);
      else checkReminder(next, id.replace('reminder-', ''));
    },

    checkAll(stored: Row[]): void {
      const well = wellSince();
      checkHeld(well, stored);
      checkReminded(well, stored);
      checkPurge(well, stored);
    },
  };
}
