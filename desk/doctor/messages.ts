import { describeFault } from '../../mail/faults.ts';
import type { Held, Queue } from '../../messages/look.ts';
import { span } from '../time.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('messages', 'queue', 'Messages');

/** A mail server that restarts is back by then, and the server itself raises the alarm. */
const PATIENCE_MS = 15 * 60_000;

/** How many wait to be mailed or were set aside, for how long, and why. */
export const messages: Check = {
  name: 'messages',
  about: subject,
  needs: ['DATABASE_URL'],
  run: async ({ database, now }) => {
    const look = await database();
    return 'queue' in look ? describe(look.queue, now) : [];
  },
};

function describe({ waiting, setAside }: Queue, now: number): Finding[] {
  if (waiting.count + setAside.count === 0)
    return [subject.ok('All are mailed; none waits and none is set aside.')];
  const findings: Finding[] = [];
  if (setAside.count > 0) {
    findings.push(
      subject.wrong(
        `${howMany(setAside, 'set aside', now)}: ${describeFault(setAside.fault)}. Nothing is lost.`,
        'Read them: npm run desk -- list --state set-aside. Mend what the lines about mail say, then: npm run desk requeue all',
      ),
    );
  }
  if (waiting.count > 0) findings.push(describeWaiting(waiting, now));
  return findings;
}

function describeWaiting(waiting: Held, now: number): Finding {
  const why = waiting.fault ? `: ${describeFault(waiting.fault)}` : '';
  const found = `${howMany(waiting, 'waiting to be mailed', now)}${why}.`;
  if (now - (waiting.oldestAt ?? now) >= PATIENCE_MS) {
    return subject.wrong(
      found,
      waiting.fault
        ? 'Mend what the lines about mail say; what waits then goes out by itself. To read it meanwhile: npm run desk -- list --state waiting'
        : 'Check that the server runs. To read what waits: npm run desk -- list --state waiting',
    );
  }
  return waiting.fault
    ? subject.look(found, 'It is tried again by itself; run this again in 15 minutes.')
    : subject.ok(found);
}

function howMany({ count, oldestAt = 0 }: Held, how: string, now: number): string {
  return `${count === 1 ? '1 message is' : `${count} messages are`} ${how}, the oldest for ${span(now - oldestAt)}`;
}
