import type { Sending } from './mail-server.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** So many mails are in hand at once in each process, and a crash may leave them counted twice. */
const IN_HAND = 4;
/** In ten minutes: the plan has four, and what's back or requeued is tried once more. */
const MOST_TRIES = 30;
/** The same words within it are one message. */
const DOUBLE_SUBMIT = 10 * MINUTE;

/** A stored message, as far as the promises look at it. */
export type Row = { id: string; message: string; state: string; message_id: string };

export type Visitor = {
  words: string;
  email: string;
  address: string;
  key: string | undefined;
  acknowledged: string[];
  tries: number[];
};

/** What has happened so far, as far as a promise depends on it. Times are the world's own. */
export type Facts = {
  world: World;
  mailPerHour: number;
  rows: () => Row[];
  visitors: Visitor[];
  erased: Set<string>;
  /** When the owner did something to a message that makes another mail of it right. */
  owned: Map<string, number>;
  /** Crashes, stops and thaws, which may leave mails in hand. */
  interruptedAt: number[];
  clockSetAt: number;
  diskFullAt: number;
};

/** What must be true at any moment, and at the end. Each throws what's broken. */
export function createPromises(facts: Facts) {
  const { world, visitors, erased, owned } = facts;
  const mails = new Map<string, Sending[]>();
  const of = (id: string): Sending[] => mails.get(id) ?? [];

  /** Whether it's right to mail a message again after this. */
  function isExcused(id: string, { at, process }: Sending): boolean {
    const disturbedAt = Math.max(facts.clockSetAt, facts.diskFullAt, owned.get(id) ?? 0);
    return process.isDead || process.frozenUntil > at || disturbedAt >= at - MINUTE;
  }

  return {
    onSend(next: Sending): void {
      const { id, messageId } = next.mail;
      // Other mails, such as reminders, have names of their own.
      if (!facts.rows().some((row) => row.id === id)) {
        if (erased.has(id)) throw new Error(`${id} was erased, and is mailed`);
        return;
      }
      const before = of(id);
      if (before.filter(({ at }) => at > world.now() - 10 * MINUTE).length > MOST_TRIES)
        throw new Error(`${messageId} is tried again and again`);
      for (const sending of before) {
        if (sending.mail.messageId !== messageId) throw new Error(`${id} is mailed under two Message-IDs`);
        if (sending.answer !== 'failed' && !isExcused(id, sending))
          throw new Error(`${messageId} is mailed twice`);
      }
      mails.set(id, [...before, next]);
    },

    check(): void {
      const stored = new Map(facts.rows().map((row) => [row.id, row]));
      for (const { words, acknowledged } of visitors)
        for (const id of acknowledged)
          if (!erased.has(id) && stored.get(id)?.message !== words)
            throw new Error(`“${words}” was acknowledged and is gone`);
      for (const id of erased) if (stored.has(id)) throw new Error(`${id} was erased, and is there`);
      const since = world.now() - 2 * HOUR;
      if (Math.max(facts.clockSetAt, facts.diskFullAt) > since) return;
      const mailed = [...mails.values()].flat().filter(({ at }) => at > world.now() - HOUR + MINUTE);
      const counted = mailed.filter(
        ({ answer, mail }) => answer === 'taken' && (owned.get(mail.id) ?? 0) < since,
      );
      const interrupted = facts.interruptedAt.filter((at) => at > since).length;
      if (counted.length > facts.mailPerHour + interrupted * IN_HAND)
        throw new Error(`${counted.length} mails in an hour, and MAIL_PER_HOUR is ${facts.mailPerHour}`);
    },

    /** Once all has been well for hours. */
    checkEnd(): void {
      const stored = facts.rows();
      for (const { id, state, message } of stored) {
        if (state === 'waiting') throw new Error(`“${message}” still waits hours after all is well`);
        if (state === 'sent' && !of(id).some(({ taken }) => taken))
          throw new Error(`“${message}” counts as sent, and wasn't`);
      }
      if (facts.clockSetAt > 0 || owned.size > 0) return;
      for (const { words, tries } of visitors) {
        const copies = stored.filter(({ message }) => message === words).length;
        const [first = 0, last = 0] = [tries[0], tries.at(-1)];
        if (copies > 1 && last - first < DOUBLE_SUBMIT)
          throw new Error(`“${words}” was stored ${copies} times within ten minutes`);
      }
    },
  };
}
