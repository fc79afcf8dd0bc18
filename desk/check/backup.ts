import { DAY } from '../../contract/time.ts';
import { age } from '../time.ts';
import { about, type Check } from './check.ts';

const subject = about('safe', 'backup', 'Backup');

const WEEK_MS = 7 * DAY;

/** When the desk's last backup was made. */
export const backup: Check = {
  about: subject,
  needs: ['DATABASE_URL'],
  run: async ({ database, now }) => {
    const report = await database();
    if (report.state === 'absent') return [];
    if (!('queue' in report))
      return [
        subject.look('Unknown, since the database doesn’t answer.', 'Look at the line “Database” first.'),
      ];
    const { lastBackupAt } = report.queue;
    const todo = 'Make one, on another disk: npm run desk backup FILE';
    if (lastBackupAt === undefined) return [subject.look('You haven’t made one yet.', todo)];
    const old = age(lastBackupAt, now);
    const found = old === 'now' ? 'The last one was made just now.' : `The last one is ${old} old.`;
    return [now - lastBackupAt > WEEK_MS ? subject.look(found, todo) : subject.ok(found)];
  },
};
