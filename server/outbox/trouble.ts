import type { Logger as Log } from 'pino';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { describeFault } from '../mail/faults.ts';
import type { Database } from '../messages/database.ts';
import { checkRoom } from '../messages/insert.ts';
import { forget, takeTurn } from '../messages/last-done.ts';
import { countUnsent, failingSince } from '../messages/queries.ts';
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

/** `name` is that of the note that it was told, and `facts` are for the log. Once told, it's told again after `everyMs`. */
type Trouble = { name: string; level: 'error' | 'warn'; everyMs: number; text: string; facts: object };

type Options = { database: Database; log: Log; webhook: Webhook | undefined };

/** Tells the owner when messages can't be stored or aren't mailed, in the log and through ALERT_WEBHOOK_URL. */
export function createTroubleWatch({ database, log, webhook }: Options) {
  /** By this server, and when. */
  const told = new Map<string, number>();
  let outage: Outage | undefined;
  let hasRoom = true;
  let checking = Promise.resolve();

  async function check(now: number): Promise<void> {
    await tryRoom(now).catch(() => undefined);
    const isOver = outage && hasRoom && !isWithin(QUIET_MS, outage.lastAt, now);
    if (outage && (await tell(isOver ? describeEnd(outage) : describe(outage), now)) && isOver) {
      outage = undefined;
      // The next outage is news.
      told.delete(NOT_STORED);
      await forget(database, noteOf(NOT_STORED)).catch(() => undefined);
    }
    try {
      await checkMails(now);
    } catch (error) {
      log.error({ err: error }, 'the database cannot be asked whether mails fail');
    }
  }

  async function checkMails(now: number): Promise<void> {
    const {
      count: failing,
      oldestAt,
      fault,
    } = await failingSince(database, now - PATIENCE_MS, now + PATIENCE_MS);
    if (failing > 0) {
      const minutes = Math.max(0, Math.round((now - oldestAt) / MINUTE));
      const time = minutes > 0 ? count(minutes, 'minute') : 'some time';
      const text = `${count(failing, 'message')} could not be mailed for ${time}: ${describeFault(fault)}`;
      await tell(mailTrouble('mails fail', HOUR, text, { failing, minutes, fault }), now);
    }
    const { set_aside: setAside } = await countUnsent(database);
    if (setAside > 0) {
      const text = `${count(setAside, 'message')} set aside, because the mail server hasn't accepted ${setAside === 1 ? 'it' : 'them'} for days`;
      await tell(mailTrouble('set aside', DAY, text, { setAside }), now);
    }
  }

  /** False if the webhook didn't take it; the next check tries again. */
  async function tell({ name, level, everyMs, text, facts }: Trouble, now: number): Promise<boolean> {
    const toldAt = told.get(name);
    if (toldAt !== undefined && isWithin(everyMs, toldAt, now)) return true;
    log[level](facts, text);
    if (webhook && !(await postOnce(webhook, { name, everyMs, text }, now))) return false;
    told.set(name, now);
    return true;
  }

  /** Several servers on a database, or a function's short-lived instances, know of each other's posts by its notes. */
  async function postOnce(post: Webhook, trouble: Pick<Trouble, 'name' | 'everyMs' | 'text'>, now: number) {
    const note = noteOf(trouble.name);
    // If the database itself is what's failing, each server tells for itself.
    if (!(await takeTurn(database, note, now, trouble.everyMs).catch(() => true))) return true;
    const isTaken = await post(trouble.text);
    if (!isTaken) await forget(database, note).catch(() => undefined);
    return isTaken;
  }

  function note(error: unknown, now: number) {
    hasRoom = false;
    outage ??= { since: now, lastAt: now, fault: '', turnedAway: 0 };
    outage.lastAt = now;
    outage.fault = faultWords(error);
    return outage;
  }

  async function tryRoom(now: number): Promise<void> {
    try {
      await checkRoom(database, now);
      hasRoom = true;
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
      if (!hasRoom) await tryRoom(now);
    },
  };
}

function describe({ fault, turnedAway }: Outage): Trouble {
  const asked = turnedAway > 0 ? `${visitors(turnedAway)} asked to send theirs again later so far. ` : '';
  const text = `Contact form: VISITORS ARE TURNED AWAY, since their messages can't be saved: ${fault}. ${asked}\`npm run desk doctor\` says what's wrong and what to do.`;
  return { name: NOT_STORED, level: 'error', everyMs: HOUR, text, facts: { turnedAway } };
}

function describeEnd({ since, lastAt, turnedAway }: Outage): Trouble {
  const time = count(Math.max(1, Math.ceil((lastAt - since) / MINUTE)), 'minute').replace(/^1 /, 'a ');
  const asked =
    turnedAway > 0
      ? `${visitors(turnedAway)} asked to send theirs again later`
      : 'no visitor was turned away';
  const text = `Contact form: messages are saved again. For ${time} they couldn't be, and ${asked}.`;
  return { name: `${NOT_STORED}, over`, level: 'warn', everyMs: TOGETHER_MS, text, facts: { turnedAway } };
}

function mailTrouble(name: string, everyMs: number, sentence: string, facts: object): Trouble {
  const text = `Contact form: ${sentence}. All are kept in the database. \`npm run desk doctor\` says what's wrong and what to do; \`npm run desk list\` shows the messages.`;
  return { name, level: 'error', everyMs, text, facts };
}

const noteOf = (name: string) => `alert: ${name}`;
const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
const visitors = (number: number) => (number === 1 ? '1 visitor was' : `${number} visitors were`);

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
