import type { DatabaseReport } from '../../server/messages/inspect.ts';
import { shortPath } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './finding.ts';

const subject = about('database', 'database', 'Database');

/** Whether it can be opened, read and written, and fits this version. */
export const database: Check = async ({ database: report }) => [describe(await report())];

function describe(report: DatabaseReport): Finding {
  const { wrong, look, ok } = subject;
  const location = shortPath(report.location);
  const rights = 'End any other program that has it open, and see that the server’s user may write it.';
  switch (report.state) {
    case 'ok':
      return ok(`${location} can be read and written.`);
    case 'absent':
      return look(
        `There’s none yet at ${location}.`,
        'The server makes it at its first start: npm start. If there were messages before, check DATABASE_URL, or move their file back.',
      );
    case 'unreachable':
      // As the server itself says it.
      return wrong(report.fault, 'See that the database server runs.');
    case 'locked':
    case 'unreadable':
      return wrong(`${location} can’t be opened (${report.fault}).`, rights);
    case 'read-only':
      return wrong(`${location} can’t be written (${report.fault}), so no message can be stored.`, rights);
    case 'damaged':
      return wrong(
        `${location} is damaged, or isn’t a database.`,
        'Stop the server, keep a copy of the file, and restore your last backup.',
      );
    case 'older':
      return look(`${location} is from an older version of this program.`, 'The next start updates it.');
    case 'newer':
      return wrong(
        `${location} was changed by a newer version of this program.`,
        'Install that version again.',
      );
    case 'too old':
      return wrong(`${location} is from a version before 0.4.`, 'Start version 0.4 with it once.');
  }
}
