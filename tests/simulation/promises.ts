import { awake, broken, type Facts, LEAD, type Row, SAME } from './facts.ts';
import type { Sending } from './mail-server.ts';
import type { Process } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What the tests say of this world: see docs/reliability.md. */
const TOLD_WITHIN = 15 * MINUTE;
/** Looks are a minute apart, and one may fall into a mail that's being tried. */
const LOOKS = 4 * MINUTE;
/** The same words within it are one message. */
const DOUBLE_SUBMIT = 10 * MINUTE;
/** After a refused login. */
const LONGEST_PAUSE = 30 * MINUTE;
/** So many mails are in hand at once in each process, and a crash may leave them counted twice. */
const IN_HAND = 4;
/** In ten minutes: the plan has four, and what's back or requeued is tried once more. */
const MOST_TRIES = 30;

export const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** What must be true of each message, and what the owner is told. */
export function createPromises(facts: Facts) {
  const { world, plan, mails, visitors, erased, owned } = facts;
  /** Of messages, within some hours. */
  let recent: Sending[] = [];
  let seen = new Map<string, Row>();

  /** Whether it's right to mail a message again after this. */
  const excuse = (id: string, { process, at, answeredAt = at }: Sending): boolean => {
    const since = Math.min(at, answeredAt) - MINUTE;
    return (
      process.isDead ||
      process.frozenUntil > since ||
      facts.clockSetAt >= since ||
      !facts.disk.works ||
      facts.disk.since >= since ||
      (owned.get(id) ?? Number.NEGATIVE_INFINITY) >= at
    );
  };

  /** What's due is tried, once a server has been there and well for longer than any pause. */
  function checkTried(undelivered: Row[]): void {
    const now = world.now();
    const since = Math.max(tellableSince(), facts.mail.works ? facts.mail.since : Infinity);
    if (!facts.disk.works || now - since < LONGEST_PAUSE + LOOKS) return;
    // Somebody who was frozen has just stored what came before.
    if (now - facts.thawedAt < LOOKS) return;
    // What was mailed before, by a clock up to a day ahead, is of the last hour once more.
    if (now - facts.clockSetBackAt < 2 * DAY) return;
    if (recent.filter(({ at }) => at > now - HOUR).length >= Math.floor(plan.mailPerHour / 2)) return;
    const due = undelivered.find(
      ({ id, state, next_attempt_at: at }) =>
        state === 'waiting' && at < world.wallTime() - LOOKS && (owned.get(id) ?? 0) < now - LOOKS,
    );
    if (due) throw broken(facts, `“${due.message}” is due, and nobody tries it`);
  }

  function checkBudget(): void {
    const now = world.now();
    recent = recent.filter(({ at }) => at > now - 2 * HOUR);
    facts.ends = facts.ends.filter((at) => at > now - 2 * HOUR);
    if (now - facts.clockSetAt < 2 * HOUR || !world.isClockRight()) return;
    if (!facts.disk.works || facts.disk.since > now - 2 * HOUR) return;
    const mailed = new Set(
      recent
        .filter(({ answer, answeredAt = 0 }) => answer === 'taken' && answeredAt > now - HOUR)
        .filter(({ mail }) => (owned.get(mail.id) ?? 0) < now - 2 * HOUR)
        .map(({ mail }) => mail.id),
    );
    if (mailed.size > plan.mailPerHour + facts.ends.length * IN_HAND)
      throw broken(
        facts,
        `${mailed.size} mails went out within an hour, and MAIL_PER_HOUR is ${plan.mailPerHour}`,
      );
  }

  /** Since when the owner could have been told: a server was there, awake, by the right time, and so was the webhook. */
  function tellableSince(): number {
    const servers = awake(facts).map((process) => Math.max(process.bornAt, process.frozenUntil));
    const { works, since } = facts.hook;
    const roomSince = facts.disk.works ? facts.disk.since : Number.NEGATIVE_INFINITY;
    return Math.max(Math.min(...servers), works ? since : Infinity, facts.clockSetAt, roomSince);
  }

  function checkTold(undelivered: Row[]): void {
    const now = world.now();
    const tellable = tellableSince();
    // A clock that's set back by up to an hour makes the hour between two alerts longer by as much.
    const repeat = facts.clockSetAt > now - 2 * HOUR ? 2 * HOUR : HOUR;
    const toldSince = (at: number) => facts.alertedAt >= at;
    const isTellable = ({ at, process }: { at: number; process: Process }) =>
      !process.isDead && process.frozenUntil < at && facts.hook.works && facts.hook.since <= at;
    const late = facts.refusals.filter(({ at }) => now - at > LOOKS);
    facts.refusals = facts.refusals.filter(({ at }) => now - at <= LOOKS);
    for (const refusal of late) {
      const { at } = refusal;
      if (isTellable(refusal) && facts.clockSetAt <= at - 2 * HOUR && !toldSince(at - HOUR - LOOKS))
        throw broken(facts, 'a visitor was turned away, and the owner was not told');
    }
    if (!facts.disk.works) return;
    // Failing by no fault of their own.
    const failing = undelivered.filter(({ state, last_error }) => state === 'waiting' && last_error !== null);
    const failedAt = failing.map(({ id }) => {
      const since = Math.max(owned.get(id) ?? 0, tellable);
      const failures = mails
        .of(id)
        .filter(({ answer, answeredAt = 0 }) => answer === 'failed' && answeredAt >= since);
      const [failure] = [
        ...failures.slice(failures.findLastIndex(({ isSetup }) => isSetup) + 1),
        ...failures,
      ];
      return failure?.answeredAt ?? now;
    });
    const since = Math.max(Math.min(...failedAt), tellable);
    if (failing.length > 0 && now - since > TOLD_WITHIN + LOOKS && !toldSince(now - repeat - LOOKS))
      throw broken(
        facts,
        `mails have failed since ${new Date(since).toISOString()}, and the owner was not told`,
      );
    const setAside = undelivered.filter(({ state }) => state === 'set_aside');
    const setAsideAt = setAside.map(({ id }) => {
      const last = mails.of(id).findLast(({ answer }) => answer !== undefined);
      return Math.max(last?.answeredAt ?? now, owned.get(id) ?? 0);
    });
    const aside = Math.max(Math.min(...setAsideAt), tellable);
    // As above: a day longer by up to a day.
    const remind = facts.clockSetAt > now - 2 * DAY - HOUR ? 2 * DAY : DAY;
    if (setAside.length > 0 && now - aside > HOUR + LOOKS && !toldSince(now - remind - HOUR))
      throw broken(facts, 'a message was set aside, and the owner was not told');
  }

  /** RETENTION_DAYS takes what's older, and nothing else; and nothing that hasn't been mailed. */
  function checkKept(stored: Map<string, Row>): void {
    const latest = Math.min(facts.latestTime, world.now() + facts.misled);
    const oldest = latest - Number(plan.retentionDays) * DAY;
    for (const [id, { message, received_at: receivedAt, state }] of seen) {
      if (stored.has(id) || erased.has(id)) continue;
      // Not a number without RETENTION_DAYS.
      if (!(receivedAt < oldest)) throw broken(facts, `“${message}” is gone`);
      if (state === 'waiting' && !mails.of(id).some(({ taken, answer }) => taken || answer === 'refused'))
        throw broken(facts, `“${message}” is gone, and was never mailed`);
      erased.add(id);
      mails.forget(id);
    }
    for (const id of erased) if (stored.has(id)) throw broken(facts, `${id} was erased, and is there`);
    for (const { acknowledged, words, trap } of visitors)
      for (const id of acknowledged) {
        if (erased.has(id)) continue;
        const row = stored.get(id);
        if (row?.message !== words) throw broken(facts, `“${words}” was acknowledged and is gone`);
        if (row.state === 'spam' && !trap && words.startsWith(LEAD) && !plan.imap && !owned.has(id))
          throw broken(facts, `“${words}” is held back, and nobody said so`);
      }
    [facts.latestTime, facts.misled] = [world.wallTime(), 0];
    seen = stored;
  }

  return {
    /** A mail of a message leaves a server. */
    onSend(next: Sending): void {
      const { id, messageId } = next.mail;
      const before = mails.of(id);
      if (before.filter(({ at }) => at > world.now() - 10 * MINUTE).length > MOST_TRIES)
        throw broken(facts, `${messageId} is tried again and again`);
      for (const sending of before) {
        if (sending.mail.messageId !== messageId)
          throw broken(facts, `${id} is mailed as ${sending.mail.messageId} and as ${messageId}`);
        if (excuse(id, sending)) continue;
        if (sending.answer === 'taken') throw broken(facts, `${messageId} was taken, and is mailed again`);
        if (sending.answer === undefined)
          throw broken(facts, `${messageId} is mailed twice at the same time`);
      }
      recent.push(next);
    },

    check(undelivered: Row[]): void {
      checkBudget();
      checkTold(undelivered);
      checkTried(undelivered);
    },

    checkAll(stored: Row[]): void {
      checkKept(new Map(stored.map((row) => [row.id, row])));
    },

    /** How many mails of messages left within an hour. */
    lately: () => recent.filter(({ at }) => at > world.now() - HOUR).length,

    /** What must be true once all has been well for hours. */
    checkEnd(): void {
      const stored = facts.rows();
      const copies = Map.groupBy(stored, ({ message }) => message);
      for (const { id, state, message, message_id: messageId } of stored) {
        const own = mails.of(id);
        if (state === 'sent' && !own.some(({ taken }) => taken))
          throw broken(facts, `“${message}” counts as sent, and wasn't`);
        if (
          state === 'set_aside' &&
          !own.some(({ answer, at }) => answer === 'refused' || at < world.now() - 4 * DAY)
        )
          throw broken(facts, `“${message}” was set aside without a reason`);
        if (own.some(({ mail }) => mail.messageId !== messageId))
          throw broken(facts, `${id} has two Message-IDs`);
      }
      const robots = new Set(visitors.filter(({ trap }) => trap).map(({ words }) => words));
      for (const { words, key, tries } of visitors) {
        const count = copies.get(words)?.length ?? 0;
        if (count < 2 || words === SAME || robots.has(words)) continue;
        if (key !== undefined) throw broken(facts, `“${words}” was stored ${count} times under one key`);
        const [first, last] = [tries[0], tries.at(-1)];
        const isSteady = first && last && Math.max(last.clockSetAt, last.thawedAt) < first.at;
        const wasTouched = copies.get(words)?.some(({ id }) => owned.has(id));
        if (isSteady && !wasTouched && last.at - first.at < DOUBLE_SUBMIT)
          throw broken(facts, `“${words}” was stored ${count} times within ten minutes`);
      }
    },
  };
}
