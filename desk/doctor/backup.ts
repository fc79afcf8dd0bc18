import { DAY } from '../../contract/time.ts';
import { span } from '../../server/messages/day.ts';
import { isOnServer } from '../desk.ts';
import { age } from '../time.ts';
import { about, type Check } from './check.ts';

const subject = about('safe', 'backup', 'Backup');

const WEEK_MS = 7 * DAY;
const MONTH_MS = 30 * DAY;

function backupTaken(at: number | undefined, now: number): string {
  return at ? `The last backup on your laptop is ${span(now - at)} old.` : 'No backup is on your laptop yet.';
}

/** When the desk's last backup was made and, on a server, when one was last taken from there. */
export const backup: Check = {
  about: subject,
  needs: ['DATABASE_URL'],
  run: async ({ database, now }) => {
    const look = await database();
    if (look.state === 'absent') return [];
    if (!('queue' in look))
      return [
        subject.look('Unknown, since the database doesn’t answer.', 'Look at the line “Database” first.'),
      ];
    const { lastBackupAt, backupTakenAt: takenAt } = look.queue;
    const isMissed = isOnServer() && now - (takenAt ?? 0) > MONTH_MS;
    const missed = isMissed ? [subject.look(backupTaken(takenAt, now), 'There: npm run desk backup')] : [];
    const todo = 'Make one, on another disk: npm run desk backup FILE';
    if (lastBackupAt === undefined) return [...missed, subject.look('You haven’t made one yet.', todo)];
    const old = age(lastBackupAt, now);
    const found = old === 'now' ? 'The last one was made just now.' : `The last one is ${old} old.`;
    return [...missed, now - lastBackupAt > WEEK_MS ? subject.look(found, todo) : subject.ok(found)];
  },
};
