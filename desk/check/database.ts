import type { DatabaseReport } from '../../server/messages/inspect.ts';
import { shortPath } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './finding.ts';

const subject = about('database', 'database', 'Database');

/** Whether it can be opened, read and written, and fits this version. */
export const database: Check = {
  needs: ['DATABASE_URL'],
  run: async ({ database: report }) => [describe(await report())],
};

function describe(report: DatabaseReport): Finding {
  const location = shortPath(report.location);
  const rights = 'Check the rights and the disk of the file; run this as the user that the server runs as.';
  switch (report.state) {
    case 'ok':
      return subject.ok(`${location} can be read and written.`);
    case 'absent': {
      const todo =
        'The server makes it at its first start: npm start. If there were messages before, check DATABASE_URL, or move their file back: it still holds them.';
      return subject.look(`There’s none yet at ${location}.`, todo);
    }
    case 'unreachable':
      // Worded as the server itself says it.
      return subject.wrong(
        report.fault.replace(/ Check DATABASE_URL\.$/, ''),
        'Check DATABASE_URL, and that the database server runs.',
      );
    case 'locked': {
      const todo = 'End that program, such as a backup or a viewer that has the file open.';
      return subject.wrong(`${location} is held by another program (${report.fault}).`, todo);
    }
    case 'unreadable':
      return subject.wrong(`${location} cannot be opened (${report.fault}).`, rights);
    case 'read-only':
      return subject.wrong(
        `${location} can’t be written (${report.fault}), so no message can be stored.`,
        rights,
      );
    case 'damaged': {
      const todo =
        'Stop the server, keep a copy of the file, and put your last backup in its place: npm run desk restore FILE';
      return subject.wrong(`${location} is damaged, or isn’t a database.`, todo);
    }
    case 'newer': {
      const todo =
        'Install the newer version again, or point DATABASE_URL at another database: this version can’t start with it.';
      return subject.wrong(`${location} was changed by a newer version of this program.`, todo);
    }
    case 'older': {
      const todo = 'The next start updates it: npm start. Make a backup first.';
      return subject.look(`${location} is from an older version of this program.`, todo);
    }
    case 'too old': {
      const todo = 'Start version 0.4 with it once, then this one: this version can’t start with it.';
      return subject.wrong(`${location} is from a version of this program before 0.4.`, todo);
    }
  }
}
