import type { Logger as Log } from 'pino';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { describeFault } from '../mail/faults.ts';
import { forAnyClient } from '../messages/claims.ts';
import type { Database } from '../messages/database.ts';
import type { Store } from '../messages/store.ts';
import { createAlerts, type Sentence, type Trouble } from './alerts.ts';
import { createOutage } from './outage.ts';
import type { Webhook } from './webhook.ts';

/** Long enough for a mail server to restart. */
const PATIENCE_MS = 15 * MINUTE;

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
  const alerts = [
    createAlerts(async ({ text, facts = {} }, isOver) => {
      log[isOver ? 'warn' : 'error'](facts, text);
      return true;
    }),
  ];
  // Each server has its own log, but they share one webhook, and the owner should be alerted once. Several servers, or
  // a function's short-lived instances, only know of each other through the database.
  const shared = database.engine === 'postgres' ? database : undefined;
  if (webhook) alerts.push(createAlerts(({ text }) => webhook(text), shared));

  const outage = createOutage(store);
  const mailTroubles = troublesWithMail({ store, mailPerHour });

  async function look(trouble: Trouble, now: number): Promise<void> {
    const found = await trouble.find(now);
    for (const alert of alerts) await alert(trouble, found, now);
  }

  async function checkAll(now: number): Promise<void> {
    await look(outage.trouble, now);
    try {
      for (const trouble of mailTroubles) await look(trouble, now);
    } catch (error) {
      log.error({ err: error }, 'the database cannot be asked whether mails fail');
    }
  }

  let checking = Promise.resolve();
  function check(now: number): Promise<void> {
    checking = checking.then(() => checkAll(now));
    return checking;
  }

  return {
    /** Call about once a minute, and when something has just gone wrong. Runs never overlap. */
    check,
    /** Resolves once the checks under way are done. */
    settled: (): Promise<void> => checking,
    /** Call when a visitor was told the message couldn't be saved. Says whether the owner hasn't been told yet. */
    notStored: outage.turnedAway,
    /** Fails while there's no room for a message; only asks the database if the last check or a visitor found none. */
    confirmRoom: outage.confirmRoom,
  };
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

const kept = (sentence: string, facts: object): Sentence => ({
  text:
    `Contact form: ${sentence}. All are kept in the database. ` +
    "`npm run desk doctor` says what's wrong and what to do; `npm run desk list` shows the messages.",
  facts,
});

/** Each with its condition and its sentence. */
function troublesWithMail(options: Pick<Options, 'store' | 'mailPerHour'>): Trouble[] {
  const { store, mailPerHour } = options;
  const minutesSince = (time: number | undefined, now: number) =>
    Math.max(0, Math.round((now - (time ?? now)) / MINUTE));
  return [
    {
      what: 'mails fail',
      everyMs: HOUR,
      async find(now) {
        const failing = await store.failingSince(now - PATIENCE_MS, now + PATIENCE_MS);
        if (failing.count === 0) return undefined;
        const { fault } = failing;
        const minutes = minutesSince(failing.oldestAt, now);
        const time = minutes > 0 ? count(minutes, 'minute') : 'some time';
        return kept(
          `${count(failing.count, 'message')} could not be mailed for ${time}: ${describeFault(fault)}`,
          { failing: failing.count, minutes, fault },
        );
      },
    },
    {
      what: 'mails held back',
      everyMs: HOUR,
      async find(now) {
        const held = await store.untriedSince(now - PATIENCE_MS);
        if (held.count === 0) return undefined;
        const sent = await store.mailsOfLastHour(now, mailPerHour);
        if (sent < forAnyClient(mailPerHour)) return undefined;
        const heldMinutes = minutesSince(held.oldestAt, now);
        return kept(
          `${count(held.count, 'message')} waited for up to ${count(heldMinutes, 'minute')}, because more came than MAIL_PER_HOUR (${mailPerHour}) lets through`,
          { held: held.count, heldMinutes, mailPerHour },
        );
      },
    },
    {
      what: 'set aside',
      everyMs: DAY,
      async find() {
        const { setAside } = await store.counts();
        if (setAside === 0) return undefined;
        const sentence = `${count(setAside, 'message')} set aside, because the mail server doesn't accept ${setAside === 1 ? 'it' : 'them'}`;
        return { ...kept(sentence, { setAside }), count: setAside };
      },
    },
  ];
}
