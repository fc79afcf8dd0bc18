import type { Logger as Log } from 'pino';
import { describeFault } from '../mail/faults.ts';
import type { Clock } from '../messages/clock.ts';
import type { Database } from '../messages/database.ts';
import { forget, takeTurn } from '../messages/last-done.ts';
import { astrayWords, countAstray } from '../messages/mail-places.ts';
import { forAnyClient } from '../messages/states.ts';
import type { Store } from '../messages/store.ts';
import { codeOf, StoreError } from '../messages/store-error.ts';

const MINUTE = 60_000;
/** Long enough for a mail server to restart. */
const PATIENCE_MS = 15 * MINUTE;
const REPEAT_MS = 60 * MINUTE;
/** A message set aside stays that way until the owner acts, so one reminder a day is enough. */
const REMIND_MS = 24 * REPEAT_MS;
const WEBHOOK_MS = 10_000;
/** An outage ends after this long without a fault, so intermittent failures count as one, reported once an hour. */
const QUIET_MS = 45_000;
/** Other servers on the same database run into the same problem. */
const TOGETHER_MS = 5 * MINUTE;
const REFUSED =
  "Contact form: your mail server refuses the user name or password in IMAP_URL. Messages are still mailed to you, but the site no longer sees whether they arrive, or what you've answered. Correct IMAP_URL in .env and start the server again.";
const FLOODS =
  "Contact form: your mail server sends far more than the site asked of your mailbox, so it stops listening and tries again later. Messages are still mailed to you, but the site may not see whether they arrive, or what you've answered. If this goes on, ask your mail provider, or take IMAP_URL out of .env.";
const NONE = { count: 0, oldestAt: undefined };

type Options = {
  store: Store;
  database: Database;
  log: Log;
  webhookUrl: string | undefined;
  mailPerHour: number;
};

/**
 * Tells the owner when messages can't be stored, aren't mailed, are mailed late or don't reach her inbox, in the log and
 * through ALERT_WEBHOOK_URL.
 */
export function createTroubleWatch({ store, database, log, webhookUrl, mailPerHour }: Options) {
  // Each server has its own log, but they share one webhook, and the owner should be alerted once. Several servers, or
  // a function's short-lived instances, only know of each other through the database.
  const shared = database.engine === 'postgres' ? database : undefined;
  const alerts = [createAlert(async (text, facts) => log.error(facts, text))];
  const outageAlerts = [
    createOutageAlert(async (text, { isOver, turnedAway }) =>
      log[isOver ? 'warn' : 'error']({ turnedAway }, text),
    ),
  ];
  if (webhookUrl) {
    const tell = (text: string) => post(webhookUrl, text, database.clock, log);
    alerts.push(createAlert(tell, shared));
    outageAlerts.push(createOutageAlert(tell, shared));
  }
  let outage: Outage | undefined;
  /** True until something shows that there's room for a message again. */
  let isFailing = false;

  function noteFault(error: unknown, now: number): Outage {
    isFailing = true;
    if (!outage || outage.isOver)
      outage = { since: now, lastAt: now, fault: '', turnedAway: 0, isOver: false };
    outage.lastAt = now;
    // A database's own words may repeat a visitor's.
    outage.fault = error instanceof StoreError ? error.message.replace(/\.$/, '') : inWords(error);
    return outage;
  }

  async function tryRoom(now: number): Promise<void> {
    try {
      await store.checkRoom(now);
      isFailing = false;
    } catch (error) {
      noteFault(error, now);
      throw error;
    }
  }

  async function checkStoring(now: number): Promise<void> {
    await tryRoom(now).catch(() => undefined);
    if (!outage) return;
    if (!isFailing && !isWithin(QUIET_MS, outage.lastAt, now)) outage.isOver = true;
    for (const alert of outageAlerts) await alert(now, outage);
  }

  async function checkMails(now: number): Promise<void> {
    const minutesSince = (time = now) => Math.max(0, Math.round((now - time) / MINUTE));
    try {
      const failing = await store.failingSince(now - PATIENCE_MS, now + PATIENCE_MS);
      const { waiting, setAside } = await store.counts();
      const held = waiting > 0 ? await heldBack(now) : NONE;
      const astray = await countAstray(database, now);
      const facts = {
        ...astray,
        failing: failing.count,
        setAside,
        held: held.count,
        heldMinutes: minutesSince(held.oldestAt),
        mailPerHour,
        minutes: minutesSince(failing.oldestAt),
        fault: failing.fault,
      };
      for (const alert of alerts) await alert(now, facts);
    } catch (error) {
      log.error({ err: error }, 'the database cannot be asked whether mails fail');
    }
  }

  let checking = Promise.resolve();
  return {
    /** Call about once a minute, and when something has just gone wrong. Runs never overlap. */
    check(now: number): Promise<void> {
      checking = checking.then(() => checkStoring(now)).then(() => checkMails(now));
      return checking;
    },
    /** Resolves once the checks under way are done. */
    settled: (): Promise<void> => checking,
    /** Call when a visitor was told the message couldn't be saved. Says whether the owner hasn't been told yet. */
    notStored(error: unknown, now: number): boolean {
      const isNews = !outage || outage.isOver;
      noteFault(error, now).turnedAway += 1;
      return isNews;
    },
    /** Call once when IMAP_URL's login doesn't work. */
    mailboxRefused: (now: number): Promise<void> => mailboxFails(REFUSED, now),
    /** Call once a day at most when the owner's mail server sends without end. */
    mailboxFloods: (now: number): Promise<void> => mailboxFails(FLOODS, now),
    /** Fails while there's no room for a message; only asks the database if the last check or a visitor found none. */
    async confirmRoom(now: number): Promise<void> {
      if (isFailing) await tryRoom(now);
    },
  };

  async function mailboxFails(text: string, now: number): Promise<void> {
    log.error(text);
    if (webhookUrl && (!shared || (await takeTurn(shared, 'alert: mailbox', now, REMIND_MS))))
      await post(webhookUrl, text, database.clock, log);
  }

  /** Messages held back by MAIL_PER_HOUR; those waiting for another reason are reported under that. */
  async function heldBack(now: number) {
    const untried = await store.untriedSince(now - PATIENCE_MS);
    if (untried.count === 0) return NONE;
    const { sent } = await store.mailsOfLastHour(now, mailPerHour);
    return sent < forAnyClient(mailPerHour) ? NONE : untried;
  }
}

/** Messages can't be stored, on and off or the whole time. */
type Outage = { since: number; lastAt: number; fault: string; turnedAway: number; isOver: boolean };

/** A time in the future came from a clock that has since been corrected. */
function isWithin(ms: number, time: number, now: number): boolean {
  return Math.abs(now - time) < ms;
}

function inWords(error: unknown): string {
  const code = codeOf(error) || 'no code';
  return `${/^(53100|SQLITE_FULL|ENOSPC)$/.test(code) ? 'the disk is full' : 'the database failed'} (${code})`;
}

/** False: the owner wasn't reached, and the next check tries again. */
type Tell<Facts> = (text: string, facts: Facts) => Promise<unknown>;

/** Reports each outage at once, then hourly while it lasts, and when it's over. */
function createOutageAlert(tell: Tell<Outage>, shared?: Database) {
  let told: Outage | undefined;
  let toldOver: Outage | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  return async (now: number, outage: Outage): Promise<void> => {
    if (outage === toldOver) return;
    const again = outage === told && !outage.isOver;
    if (again && isWithin(REPEAT_MS, toldAt, now)) return;
    const what = outage.isOver ? 'alert: messages stored again' : 'alert: messages not stored';
    const every = again ? REPEAT_MS : TOGETHER_MS;
    // If the database itself is what's failing, each server reports for itself.
    const isOurs = !shared || (await takeTurn(shared, what, now, every).catch(() => true));
    if (isOurs && (await tell(describeOutage(outage), outage)) === false)
      return shared && forget(shared, what).catch(() => undefined);
    told = outage;
    if (outage.isOver) toldOver = outage;
    toldAt = now;
  };
}

function describeOutage({ since, lastAt, fault, turnedAway, isOver }: Outage): string {
  const visitors = turnedAway === 1 ? '1 visitor was' : `${turnedAway} visitors were`;
  const asked = `${visitors} asked to send theirs again later`;
  const minutes = Math.max(1, Math.ceil((lastAt - since) / MINUTE));
  return isOver
    ? `Contact form: messages are saved again. For ${minutes === 1 ? 'a minute' : `${minutes} minutes`} they couldn't be, and ${asked}.`
    : `Contact form: VISITORS ARE TURNED AWAY, since their messages can't be saved: ${fault}. ${asked} so far. ` +
        "`npm run desk doctor` says what's wrong and what to do.";
}

type Trouble = {
  inJunk: number;
  nowhere: number;
  failing: number;
  minutes: number;
  fault: string | undefined;
  setAside: number;
  held: number;
  heldMinutes: number;
  mailPerHour: number;
};

function createAlert(tell: Tell<Trouble>, shared?: Database) {
  let toldAt = Number.NEGATIVE_INFINITY;
  let toldStuck = 0;
  return async (now: number, trouble: Trouble): Promise<void> => {
    const late = trouble.failing + trouble.held;
    const stuck = trouble.setAside + trouble.inJunk + trouble.nowhere;
    const news = late > 0 || stuck > toldStuck;
    // Fewer than were reported: the owner has seen to some, and the next one is news again.
    toldStuck = Math.min(toldStuck, stuck);
    if (late === 0 && stuck === 0) return;
    if (isWithin(news ? REPEAT_MS : REMIND_MS, toldAt, now)) return;
    const [what, every] = late > 0 ? ['alert: mails fail', REPEAT_MS] : [`alert: ${stuck} stuck`, REMIND_MS];
    const isOurs = !shared || (await takeTurn(shared, what, now, every));
    if (isOurs && (await tell(describe(trouble), trouble)) === false) return shared && forget(shared, what);
    toldAt = now;
    toldStuck = stuck;
  };
}

function describe(trouble: Trouble): string {
  const { failing, minutes, fault, setAside, held, heldMinutes, mailPerHour } = trouble;
  const messages = (count: number) => (count === 1 ? '1 message' : `${count} messages`);
  const time = minutes > 0 ? `${minutes} minutes` : 'some time';
  const parts = [
    failing > 0 && `${messages(failing)} could not be mailed for ${time}: ${describeFault(fault)}`,
    held > 0 &&
      `${messages(held)} waited for up to ${heldMinutes} minutes, because more came than MAIL_PER_HOUR (${mailPerHour}) lets through`,
    setAside > 0 && `${messages(setAside)} set aside, because the mail server doesn't accept them`,
    ...astrayWords(trouble),
  ].filter((part) => part !== false);
  return (
    `Contact form: ${parts.join(', and ')}. All are kept in the database. ` +
    "`npm run desk doctor` says what's wrong and what to do; `npm run desk list` shows the messages."
  );
}

async function post(url: string, text: string, clock: Clock, log: Log): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
      signal: clock.timeout(WEBHOOK_MS),
    });
    await response.body?.cancel();
    if (response.ok) return true;
    log.warn({ status: response.status }, 'ALERT_WEBHOOK_URL does not take the alert');
  } catch (error) {
    // Most services treat the webhook's address as a secret; errorFacts leaves it out.
    log.warn({ err: error }, 'ALERT_WEBHOOK_URL cannot be reached');
  }
  return false;
}
