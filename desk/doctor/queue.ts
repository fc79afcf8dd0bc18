import { MINUTE } from '../../contract/time.ts';
import { describeFault } from '../../server/mail/faults.ts';
import { span } from '../../server/messages/day.ts';
import type { Held } from '../../server/messages/look.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('messages', 'queue', 'Messages');

/** Longer than a mail server's restart. The alert is sent after the same time. */
const PATIENCE_MS = 15 * MINUTE;

/** How many messages are waiting or set aside, for how long, and why. */
export const messages: Check = {
  about: subject,
  needs: ['DATABASE_URL'],
  run: async ({ database, now }) => {
    const look = await database();
    if (!('queue' in look)) return [];
    const { waiting, setAside } = look.queue;
    if (waiting.count + setAside.count === 0) return [subject.ok('All have been mailed to you.')];
    return [
      ...(setAside.count > 0
        ? [
            subject.wrong(
              `${describe(setAside, 'set aside', now)}. Nothing is lost.`,
              'Read them under “not mailed” in the inbox of your desk. Do what the lines about mail say, then have all mailed again there.',
            ),
          ]
        : []),
      ...(waiting.count > 0 ? [judgeWaiting(waiting, now)] : []),
    ];
  },
};

function judgeWaiting(waiting: Held, now: number): Finding {
  const found = `${describe(waiting, 'waiting to be mailed', now)}.`;
  if (now - (waiting.oldestAt ?? now) < PATIENCE_MS) {
    return waiting.fault
      ? subject.look(found, 'They’re tried again. Run this again in 15 minutes.')
      : subject.ok(found);
  }
  const todo = waiting.fault
    ? 'Do what the lines about mail say. Waiting messages then go out.'
    : 'Check that the server runs.';
  return subject.wrong(found, `${todo} To read what waits: “to be mailed” in the inbox of your desk.`);
}

function describe({ count, oldestAt = 0, fault }: Held, how: string, now: number): string {
  const why = fault ? `: ${describeFault(fault)}` : '';
  return `${count === 1 ? '1 message is' : `${count} messages are`} ${how}, the oldest for ${span(now - oldestAt)}${why}`;
}
