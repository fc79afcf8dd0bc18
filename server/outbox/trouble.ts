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
/** Other servers on the same database find the end of the same outage within this time. */
const TOGETHER_MS = 5 * MINUTE;

const NOT_STORED = 'messages not stored';

/** Messages can't be stored, on and off or the whole time. */
type Outage = { since: number; lastAt: number; fault: string; turnedAway: number };

/** `name` is that of the note that it was told. `facts` are for the log. */
type Trouble = {
  name: string;
  /** Once it was told, it's told again only after so many milliseconds, or after an hour if it's `count` has grown. */
  everyMs: number;
  count?: number;
  text: string;
  facts: object;
};

/** Says whether it's told, by this server or another. If not, the next check tries again. */
type Transport = {
  send: (trouble: Trouble, level: 'error' | 'warn', now: number) => Promise<boolean>;
  told: Map<string, { at: number; count: number }>;
};

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
  const transports: Transport[] = [{ send: logIt, told: new Map() }];
  if (webhook) transports.push({ send: postOnce(database, webhook), told: new Map() });
  let outage: Outage | undefined;
  /** True until something shows that there's room for a message again. */
  let isFailing = false;
  let checking = Promise.resolve();

  async function logIt({ text, facts }: Trouble, level: 'error' | 'warn'): Promise<boolean> {
    log[level](facts, text);
    return true;
  }

  async function check(now: number): Promise<void> {
    await tryRoom(now).catch(() => undefined);
    if (outage && (isFailing || isWithin(QUIET_MS, outage.lastAt, now))) await tell(describe(outage), now);
    else if (outage && (await tellEnd(outage, now))) outage = undefined;
    try {
      await checkMails(now);
    } catch (error) {
      log.error({ err: error }, 'the database cannot be asked whether mails fail');
    }
  }

  async function checkMails(now: number): Promise<void> {
    const failing = await store.failingSince(now - PATIENCE_MS, now + PATIENCE_MS);
    if (failing.count > 0) {
      const minutes = minutesSince(failing.oldestAt, now);
      const time = minutes > 0 ? count(minutes, 'minute') : 'some time';
      const text = `${count(failing.count, 'message')} could not be mailed for ${time}: ${describeFault(failing.fault)}`;
      const facts = { failing: failing.count, minutes, fault: failing.fault };
      await tell({ name: 'mails fail', everyMs: HOUR, text: kept(text), facts }, now);
    }
    const held = await store.untriedSince(now - PATIENCE_MS);
    if (held.count > 0 && (await store.mailsOfLastHour(now, mailPerHour)) >= forAnyClient(mailPerHour)) {
      const heldMinutes = minutesSince(held.oldestAt, now);
      const text = `${count(held.count, 'message')} waited for up to ${count(heldMinutes, 'minute')}, because more came than MAIL_PER_HOUR (${mailPerHour}) lets through`;
      const facts = { held: held.count, heldMinutes, mailPerHour };
      await tell({ name: 'mails held back', everyMs: HOUR, text: kept(text), facts }, now);
    }
    const { set_aside: setAside } = await store.counts();
    if (setAside > 0) {
      const them = setAside === 1 ? 'it' : 'them';
      const text = `${count(setAside, 'message')} set aside, because the mail server hasn't accepted ${them} for days`;
      const facts = { setAside };
      await tell({ name: 'set aside', everyMs: DAY, count: setAside, text: kept(text), facts }, now);
    }
  }

  async function tell(trouble: Trouble, now: number): Promise<void> {
    const { name, everyMs, count: number = 1 } = trouble;
    for (const { send, told } of transports) {
      const last = told.get(name);
      if (last && isWithin(number > last.count ? HOUR : everyMs, last.at, now)) continue;
      if (await send(trouble, 'error', now)) told.set(name, { at: now, count: number });
    }
  }

  /** To those who were told of it. True once all of them know. */
  async function tellEnd(ended: NonNullable<typeof outage>, now: number): Promise<boolean> {
    const end = describeEnd(ended);
    for (const { send, told } of transports)
      if (told.has(NOT_STORED) && (await send(end, 'warn', now))) told.delete(NOT_STORED);
    return transports.every(({ told }) => !told.has(NOT_STORED));
  }

  function note(error: unknown, now: number) {
    isFailing = true;
    outage ??= { since: now, lastAt: now, fault: '', turnedAway: 0 };
    outage.lastAt = now;
    outage.fault = faultWords(error);
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

  return {
    /** Call about once a minute, and when something has just gone wrong. Runs never overlap. */
    check(now: number): Promise<void> {
      checking = checking.then(() => check(now));
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

function describe({ fault, turnedAway }: Outage): Trouble {
  const asked = turnedAway > 0 ? `${visitors(turnedAway)} asked to send theirs again later so far. ` : '';
  const text = `Contact form: VISITORS ARE TURNED AWAY, since their messages can't be saved: ${fault}. ${asked}\`npm run desk doctor\` says what's wrong and what to do.`;
  return { name: NOT_STORED, everyMs: HOUR, text, facts: { turnedAway } };
}

function describeEnd({ since, lastAt, turnedAway }: Outage): Trouble {
  const time = count(Math.max(1, Math.ceil((lastAt - since) / MINUTE)), 'minute').replace(/^1 /, 'a ');
  const asked =
    turnedAway > 0
      ? `${visitors(turnedAway)} asked to send theirs again later`
      : 'no visitor was turned away';
  const text = `Contact form: messages are saved again. For ${time} they couldn't be, and ${asked}.`;
  return { name: `${NOT_STORED}, over`, everyMs: TOGETHER_MS, text, facts: { turnedAway } };
}

/** Several servers on a database, or a function's short-lived instances, know of each other's posts by its notes. */
function postOnce(database: Database, webhook: Webhook): Transport['send'] {
  return async ({ name, everyMs, count: number, text }, level, now) => {
    const note = `alert: ${number === undefined ? name : `${number} ${name}`}`;
    // If the database itself is what's failing, each server tells for itself.
    if (!(await takeTurn(database, note, now, everyMs).catch(() => true))) return true;
    const isTaken = await webhook(text);
    // What wasn't taken is sent again. After its end, the next outage is news.
    const over = isTaken ? level === 'warn' && `alert: ${NOT_STORED}` : note;
    if (over) await forget(database, over).catch(() => undefined);
    return isTaken;
  };
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
const visitors = (number: number) => (number === 1 ? '1 visitor was' : `${number} visitors were`);
const kept = (sentence: string) =>
  `Contact form: ${sentence}. All are kept in the database. \`npm run desk doctor\` says what's wrong and what to do; \`npm run desk list\` shows the messages.`;
const minutesSince = (time: number | null, now: number) =>
  Math.max(0, Math.round((now - (time ?? now)) / MINUTE));

/** A database's own words may repeat a visitor's. */
function faultWords(error: unknown): string {
  if (error instanceof StoreError) return error.message.replace(/\.$/, '');
  const code = codeOf(error);
  const words = /^(53100|SQLITE_FULL|ENOSPC)$/.test(code) ? 'the disk is full' : 'the database failed';
  return code ? `${words} (${code})` : words;
}

/** A time in the future came from a clock that has since been corrected. */
function isWithin(ms: number, time: number, now: number): boolean {
  return Math.abs(now - time) < ms;
}
