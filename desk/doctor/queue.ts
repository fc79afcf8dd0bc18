import { describeFault } from '../../mail/faults.ts';
import type { Database } from '../../messages/database.ts';
import { lastDoneAt } from '../../messages/last-done.ts';
import { countByState, faultOfOldest } from '../../messages/queries.ts';
import { span } from '../time.ts';
import { about, type Finding } from './finding.ts';

const queue = about('messages', 'queue', 'Messages');
export const backup = about('safe', 'backup', 'Backup');

/** What a database tells of its messages. Times are milliseconds since 1970. */
export type Queue = {
  waiting: number;
  setAside: number;
  oldestWaitingAt: number | null;
  oldestSetAsideAt: number | null;
  /** The label that the oldest one that waits, or was set aside, has from its last attempt. */
  waitingFault: string | null;
  setAsideFault: string | null;
  lastBackupAt: number | null;
  lastDigestAt: number | null;
};

export async function readQueue(database: Pick<Database, 'db'>): Promise<Queue> {
  const { waiting, ...others } = await countByState(database, ['waiting', 'set-aside']);
  const setAside = others['set-aside'];
  return {
    waiting: waiting.count,
    setAside: setAside.count,
    oldestWaitingAt: waiting.oldestAt ?? null,
    oldestSetAsideAt: setAside.oldestAt ?? null,
    waitingFault: await faultOfOldest(database, 'waiting'),
    setAsideFault: await faultOfOldest(database, 'set-aside'),
    lastBackupAt: (await lastDoneAt(database, 'backup')) ?? null,
    lastDigestAt: (await lastDoneAt(database, 'digest')) ?? null,
  };
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A mail server that restarts is back by then, and the server itself raises the alarm. */
const PATIENCE_MS = 15 * MINUTE;

export function describeQueue(facts: Queue, now: number): Finding[] {
  const findings: Finding[] = [];
  if (facts.setAside > 0) {
    const since =
      facts.oldestSetAsideAt === null ? '' : `, the oldest for ${span(now - facts.oldestSetAsideAt)}`;
    findings.push(
      queue.wrong(
        `${messages(facts.setAside)} set aside${since}: ${describeFault(facts.setAsideFault)}. Nothing is lost.`,
        'Read them: npm run desk -- list --state set-aside. Mend what the lines about mail say, then: npm run desk requeue all',
      ),
    );
  }
  if (facts.waiting > 0 && facts.oldestWaitingAt !== null) {
    const age = now - facts.oldestWaitingAt;
    const wait = `${messages(facts.waiting)} waiting to be mailed, the oldest for ${span(age)}`;
    const why = facts.waitingFault ? `: ${describeFault(facts.waitingFault)}` : '';
    const todo = facts.waitingFault
      ? 'Mend what the lines about mail say; what waits then goes out by itself. To read it meanwhile: npm run desk -- list --state waiting'
      : 'Check that the server runs. To read what waits: npm run desk -- list --state waiting';
    if (age >= PATIENCE_MS) findings.push(queue.wrong(`${wait}${why}.`, todo));
    else if (facts.waitingFault)
      findings.push(
        queue.look(`${wait}${why}.`, 'It is tried again by itself; run this again in 15 minutes.'),
      );
    else if (findings.length === 0) findings.push(queue.ok(`${wait}.`));
  }
  return findings.length > 0 ? findings : [queue.ok('All are mailed; none waits and none is set aside.')];
}

/** Beyond it a lost disk would cost more messages than one remembers. */
const BACKUP_DAYS = 7;

export function describeBackup(lastBackupAt: number | null, now: number): Finding {
  const todo = 'Make one, on another disk: npm run desk backup FILE';
  if (lastBackupAt === null) return backup.look('None was made yet by this program.', todo);
  const age = now - lastBackupAt;
  const text = age < MINUTE ? 'The last one was made just now.' : `The last one is ${span(age)} old.`;
  return age > BACKUP_DAYS * DAY ? backup.look(text, todo) : backup.ok(text);
}

function messages(count: number): string {
  return count === 1 ? '1 message is' : `${count} messages are`;
}
