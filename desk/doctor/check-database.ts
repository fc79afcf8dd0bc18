import type { DatabaseLook } from '../../server/messages/look.ts';
import { shortPath } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('messages', 'database', 'Database');

/** Whether it can be opened and written, is intact, and fits this version. */
export const database: Check = {
  about: subject,
  needs: ['DATABASE_URL'],
  run: async ({ settings, database: look }) => [describe(await look(), settings.database.engine)],
};

function describe(look: DatabaseLook, engine: 'sqlite' | 'postgres'): Finding {
  const place = shortPath(look.place);
  const rights = 'Check the rights and the disk of the file; run this as the user that the server runs as.';
  switch (look.state) {
    case 'ok':
      return subject.ok(
        `${place} ${engine === 'sqlite' ? 'is intact and can be written' : 'can be written'}.`,
      );
    case 'absent':
      return subject.look(
        `There’s none yet at ${place}.`,
        'The server makes it at its first start: npm start. If there were messages before, check DATABASE_URL, or move their file back: it still holds them.',
      );
    case 'late':
      return subject.wrong(`${place} did not answer in time.`, 'Try again; a very large file takes longer.');
    case 'unreachable': {
      // Worded as the server itself says it.
      const found = look.fault.replace(/ Check DATABASE_URL\.$/, '');
      return subject.wrong(found, 'Check DATABASE_URL, and that the database server runs.');
    }
    case 'locked': {
      const todo = 'End that program, such as a backup or a viewer that has the file open.';
      return subject.wrong(`${place} is held by another program (${look.fault}).`, todo);
    }
    case 'unreadable':
      return subject.wrong(`${place} cannot be opened (${look.fault}).`, rights);
    case 'damaged':
      return subject.wrong(
        `${place} is damaged, or isn’t a database.`,
        'Stop the server, keep a copy of the file, and put your last backup in its place: npm run desk restore FILE',
      );
    case 'newer':
      return subject.wrong(
        `${place} was changed by a newer version of this program, and this one can't start with it.`,
        'Install the newer version again, or point DATABASE_URL at another database.',
      );
    case 'older': {
      const todo = 'The next start updates it: npm start. Make a backup first.';
      return subject.look(`${place} is from an older version of this program.`, todo);
    }
    case 'too old':
      return subject.wrong(
        `${place} is from a version of this program before 0.4, and this one can’t start with it.`,
        'Start version 0.4 with it once, then this one.',
      );
    case 'read-only':
      return subject.wrong(`${place} can’t be written (${look.fault}), so no message can be stored.`, rights);
  }
}
