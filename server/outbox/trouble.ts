import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import type { Log } from '../log.ts';
import { describeFault, kindIn } from '../mail/faults.ts';
import type { Database } from '../messages/database.ts';
import { checkRoom } from '../messages/insert.ts';
import { forget, noteDone } from '../messages/last-done.ts';
import { countAside, countUnsent, failingSince } from '../messages/queries.ts';
import { codeOf, isDiskFull, StoreError } from '../messages/store-error.ts';
import { span } from '../messages/time.ts';
import type { Webhook } from './webhook.ts';

/** Long enough for a mail server to restart. */
export const PATIENCE_MS = 15 * MINUTE;

const KEPT = 'All are kept in the database';

type Options = { database: Database; log: Log; webhook: Webhook | undefined };

/** Tells the owner when messages can't be stored or aren't mailed, in the log and through ALERT_WEBHOOK_URL. */
export function createTroubleWatch({ database, log, webhook }: Options) {
  /** What this server has reported, and when. */
  const told = new Map<string, number>();
  let hasRoom = true;
  let checking = Promise.resolve();

  async function check(now: number): Promise<void> {
    await confirmRoom(now).catch((error) => tellNotStored(error, now));
    await checkMails(now).catch((error) =>
      log.error({ err: error }, 'the database cannot be asked whether emails fail'),
    );
  }

  async function confirmRoom(now: number): Promise<void> {
    // A visitor who's turned away meanwhile must still be reported.
    await checkRoom(database, now).catch((error) => {
      hasRoom = false;
      throw error;
    });
    hasRoom = true;
  }

  function tellNotStored(error: unknown, now: number): Promise<void> {
    const text = `VISITORS ARE TURNED AWAY because their messages can't be saved: ${faultWords(error)}`;
    return tell(now, 'messages not stored', HOUR, text);
  }

  async function checkMails(now: number): Promise<void> {
    const { waiting } = await countUnsent(database);
    const setAside = await countAside(database);
    const { oldestAt, fault, ...found } = await failingSince(database, now - PATIENCE_MS, now + PATIENCE_MS);
    // While no mail is taken, only a few are tried.
    const kind = kindIn(fault);
    const failing = kind === 'setup' || kind === 'unreachable' ? waiting : found.count;
    if (failing > 0) {
      const minutes = Math.max(0, Math.round((now - oldestAt) / MINUTE));
      const time = minutes > 0 ? span(now - oldestAt) : 'some time';
      const oldest = failing > 1 ? ', the oldest' : '';
      const text = `${count(failing, 'message')} could not be mailed${oldest} for ${time}: ${describeFault(fault)}. ${KEPT}`;
      await tell(now, 'mails fail', HOUR, text, { failing, minutes, fault });
    }
    if (setAside > 0) {
      const text = `${count(setAside, 'message')} set aside after days of tries. ${KEPT}`;
      await tell(now, 'set aside', DAY, text, { setAside });
    }
  }

  /** Tells it once in `everyMs`. If the webhook didn't take it, the next check tells it again. */
  async function tell(now: number, name: string, everyMs: number, text: string, facts = {}): Promise<void> {
    // A time in the future came from a clock that has since been corrected.
    if (Math.abs(now - (told.get(name) ?? -Infinity)) < everyMs) return;
    const whole = `Contact form: ${text}. The desk's Check, or its command \`doctor\`, says what's wrong and what to do.`;
    log.error(facts, whole);
    // Several servers, or a function's short-lived instances, know about each other's posts from the database's notes, unless
    // that's what's failing.
    const note = `alert: ${name}`;
    const isOurs = webhook && (await noteDone(database, note, now, everyMs).catch(() => true));
    if (isOurs && !(await webhook(whole))) await forget(database, note).catch(() => undefined);
    else told.set(name, now);
  }

  function then(next: () => Promise<void>): Promise<void> {
    checking = checking.then(next);
    return checking;
  }

  return {
    /** Call about once a minute. Runs never overlap. */
    check: (now: number): Promise<void> => then(() => check(now)),
    settled: (): Promise<void> => checking,
    /** Call when a visitor was told the message couldn't be saved. Of several in a row, the first is reported. */
    async notStored(error: unknown, now: number): Promise<void> {
      if (!hasRoom) return;
      hasRoom = false;
      await then(() => tellNotStored(error, now));
    },
    /** Fails while there's no room for a message; only asks the database if the last check or a visitor found none. */
    async confirmRoom(now: number): Promise<void> {
      if (!hasRoom) await confirmRoom(now);
    },
  };
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

/** A database's own words may repeat a visitor's. */
function faultWords(error: unknown): string {
  if (error instanceof StoreError) return error.message.replace(/\.$/, '');
  const code = codeOf(error);
  const words = isDiskFull(error) ? 'the disk is full' : 'the database failed';
  return code ? `${words} (${code})` : words;
}
