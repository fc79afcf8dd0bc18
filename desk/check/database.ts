import type { DatabaseReport } from '../../server/messages/inspect.ts';
import { shortPath } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './finding.ts';

const subject = about('database', 'Database');

/** Whether it can be opened, read and written, and fits this version. */
export const database: Check = async ({ database: report }) => [describe(await report())];

function describe(report: DatabaseReport): Finding {
  const { wrong, look, ok } = subject;
  const location = shortPath(report.location);
  switch (report.state) {
    case 'ok':
      return ok(`${location} can be read and written.`);
    case 'absent':
      return look(
        `There’s none yet at ${location}.`,
        'The server makes it at its first start: npm start. If there were messages before, check DATABASE_URL, or move their file back.',
      );
    case 'wrong':
      // As the server itself says it.
      return wrong(report.fault, 'Then check again.');
    case 'older':
      return look(`${location} is from an older version of this program.`, 'The next start updates it.');
  }
}
