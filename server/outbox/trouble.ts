import type { Logger as Log } from 'pino';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { describeFault } from '../mail/faults.ts';
import { forAnyClient } from '../messages/claims.ts';
import type { Database } from '../messages/database.ts';
import { forget, takeTurn } from '../messages/last-done.ts';
import type { Store } from '../messages/store.ts';
import { codeOf, StoreError } from '../messages/store-error.ts';
import type { Webhook } from './webhook.ts';

/** Long enough for a mail server to restart. */
const PATIENCE_MS = 15 * MINUTE;
/** An outage ends after this long without a fault, so intermittent failures count as one, reported once an hour. */
const QUIET_MS = 45_000;
/** Other servers on the same database run into the same trouble. */
const TOGETHER_MS = 5 * MINUTE;

/**
 * What the owner reads; `facts` are for the log. More (`count`) than she was told before is news, which waits an hour at
 * most.
 */
type Sentence = { text: string; facts: object; count?: number };

/** Messages can't be stored, on and off or the whole time. */
type Outage = { since: number; lastAt: number; fault: string; turnedAway: number };

type Options = {
  store: Store;
  database: Database;
  log: Log;
  webhook: Webhook | undefined;
  mailPerHour: number;
};

/**
 * Tells the owner when messages can't be stored, aren't mailed or are mailed late, in the log and through
 * ALERT_WEBHOOK_URL.
 */
export function createTroubleWatch({ store, database, log, webhook, mailPerHour }: Options) {
  const transports = [
    { send: logIt, shared: undefined as Database | undefined, reported: nothingReported() },
  ];
  // Each server has its own log, but they share one webhook, and the owner should be alerted once. Several servers, or
  // a function's short-lived instances, only know of each other through the database.
  const shared = database.engine === 'postgres' ? database : undefined;
  if (webhook) transports.push({ send: ({ text }) => webhook(text), shared, reported: nothingReported() });
  let outage: Outage | undefined;
  /** Kept until its end was told. */
  let ended: Outage | undefined;
  /** True until something shows that there's room for a message again. */
  let isFailing = false;
  let checking = Promise.resolve();

  async function logIt({ text, facts }: Sentence, isOver: boolean): Promise<boolean> {
    log[isOver ? 'warn' : 'error'](facts, text);
    return true;
  }

  async function checkAll(now: number): Promise<void> {
    await tell('messages not stored', HOUR, await findOutage(now), now, outageOver);
    try {
      await tell('mails fail', HOUR, await findFailing(now), now);
      await tell('mails held back', HOUR, await findHeldBack(now), now);
      await tell('set aside', DAY, await findSetAside(), now);
    } catch (error) {
      log.error({ err: error }, 'the database cannot be asked whether mails fail');
    }
  }

  function note(error: unknown, now: number): Outage {
    isFailing = true;
    outage ??= { since: now, lastAt: now, fault: '', turnedAway: 0 };
    outage.lastAt = now;
    outage.fault = describe(error);
    return outage;
  }

  async function tryRoom(now: number): Promise<void> {
    try {
      await store.checkRoom(now);
      isFailing = false;
    } catch (error) {
      note(error, now);
      throw error;
    }
  }

  async function findOutage(now: number): Promise<Sentence | undefined> {
    await tryRoom(now).catch(() => undefined);
    if (outage && !isFailing && !isWithin(QUIET_MS, outage.lastAt, now)) {
      ended = outage;
      outage = undefined;
    }
    if (!outage) return undefined;
    const { fault, turnedAway } = outage;
    const asked = turnedAway > 0 ? `${visitors(turnedAway)} asked to send theirs again later so far. ` : '';
    const text = `Contact form: VISITORS ARE TURNED AWAY, since their messages can't be saved: ${fault}. ${asked}\`npm run desk doctor\` says what's wrong and what to do.`;
    return { text, facts: { turnedAway } };
  }

  function outageOver(): Sentence {
    const { since, lastAt, turnedAway } = ended ?? { since: 0, lastAt: 0, turnedAway: 0 };
    const time = count(Math.max(1, Math.ceil((lastAt - since) / MINUTE)), 'minute').replace(/^1 /, 'a ');
    const asked =
      turnedAway > 0
        ? `and ${visitors(turnedAway)} asked to send theirs again later`
        : 'and no visitor was turned away';
    const text = `Contact form: messages are saved again. For ${time} they couldn't be, ${asked}.`;
    return { text, facts: { turnedAway } };
  }

  async function findFailing(now: number): Promise<Sentence | undefined> {
    const {
      count: failing,
      oldestAt,
      fault,
    } = await store.failingSince(now - PATIENCE_MS, now + PATIENCE_MS);
    if (failing === 0) return undefined;
    const minutes = minutesSince(oldestAt, now);
    const time = minutes > 0 ? count(minutes, 'minute') : 'some time';
    const sentence = `${count(failing, 'message')} could not be mailed for ${time}: ${describeFault(fault)}`;
    return withRemedy(sentence, { failing, minutes, fault });
  }

  async function findHeldBack(now: number): Promise<Sentence | undefined> {
    const { count: held, oldestAt } = await store.untriedSince(now - PATIENCE_MS);
    if (held === 0) return undefined;
    const sent = await store.mailsOfLastHour(now, mailPerHour);
    if (sent < forAnyClient(mailPerHour)) return undefined;
    const heldMinutes = minutesSince(oldestAt, now);
    const sentence = `${count(held, 'message')} waited for up to ${count(heldMinutes, 'minute')}, because more came than MAIL_PER_HOUR (${mailPerHour}) lets through`;
    return withRemedy(sentence, { held, heldMinutes, mailPerHour });
  }

  async function findSetAside(): Promise<Sentence | undefined> {
    const { set_aside: setAside } = await store.counts();
    if (setAside === 0) return undefined;
    const them = setAside === 1 ? 'it' : 'them';
    const sentence = `${count(setAside, 'message')} set aside, because the mail server hasn't accepted ${them} for days`;
    return { ...withRemedy(sentence, { setAside }), count: setAside };
  }

  /**
   * Tells a trouble by each transport, unless that was done within `everyMs`.
   *
   * @param what names the note in the database that it was told
   * @param over if its end is told too; the next one is then told at once
   */
  async function tell(
    what: string,
    everyMs: number,
    found: Sentence | undefined,
    now: number,
    over?: () => Sentence,
  ): Promise<void> {
    for (const { send, shared, reported } of transports) {
      /** Whether it's settled: told by us or another server. If not, the next check tries again. */
      async function once(name: string, withinMs: number, sentence: Sentence): Promise<boolean> {
        const note = `alert: ${name}`;
        // If the database itself is what's failing, each server tells for itself.
        const isOurs = !shared || (await takeTurn(shared, note, now, withinMs).catch(() => true));
        if (!isOurs || (await send(sentence, sentence !== found))) return true;
        if (shared) await forget(shared, note).catch(() => undefined);
        return false;
      }
      const last = reported.get(what);
      // Fewer than were told: the owner has seen to some, and the next one is news again.
      const number = found ? (found.count ?? 1) : 0;
      if (last) last.count = Math.min(last.count, number);
      if (!found) {
        if (last && over && (await once(`${what}, over`, TOGETHER_MS, over()))) reported.delete(what);
        continue;
      }
      if (last && isWithin(number > last.count ? HOUR : everyMs, last.at, now)) continue;
      const name = found.count === undefined ? what : `${number} ${what}`;
      if (await once(name, over && !last ? TOGETHER_MS : everyMs, found))
        reported.set(what, { at: now, count: number });
    }
  }

  return {
    /** Call about once a minute, and when something has just gone wrong. Runs never overlap. */
    check(now: number): Promise<void> {
      checking = checking.then(() => checkAll(now));
      return checking;
    },
    /** Resolves once the checks under way are done. */
    settled: (): Promise<void> => checking,
    /** Call when a visitor was told the message couldn't be saved. Says whether the owner hasn't been told yet. */
    notStored(error: unknown, now: number): boolean {
      const isNews = !outage;
      note(error, now).turnedAway += 1;
      return isNews;
    },
    /** Fails while there's no room for a message; only asks the database if the last check or a visitor found none. */
    async confirmRoom(now: number): Promise<void> {
      if (isFailing) await tryRoom(now);
    },
  };
}

const nothingReported = () => new Map<string, { at: number; count: number }>();

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
const visitors = (number: number) => (number === 1 ? '1 visitor was' : `${number} visitors were`);
const minutesSince = (time: number | null, now: number) =>
  Math.max(0, Math.round((now - (time ?? now)) / MINUTE));

const withRemedy = (sentence: string, facts: object): Sentence => ({
  text:
    `Contact form: ${sentence}. All are kept in the database. ` +
    "`npm run desk doctor` says what's wrong and what to do; `npm run desk list` shows the messages.",
  facts,
});

/** A database's own words may repeat a visitor's. */
function describe(error: unknown): string {
  if (error instanceof StoreError) return error.message.replace(/\.$/, '');
  const code = codeOf(error);
  const words = /^(53100|SQLITE_FULL|ENOSPC)$/.test(code) ? 'the disk is full' : 'the database failed';
  return code ? `${words} (${code})` : words;
}

/** A time in the future came from a clock that has since been corrected. */
function isWithin(ms: number, time: number, now: number): boolean {
  return Math.abs(now - time) < ms;
}
