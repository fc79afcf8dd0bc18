import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../settings/settings.ts';

const HELP = `Usage: npm start [-- options]

Serves the page and takes the messages of its form. Settings come from the environment and from .env;
.env.example lists them all.

Options:
  -h, --help  show this
  --version   show the version of this program and of Node

Without the build before: node server/main.ts [FOLDER], which serves the built page in FOLDER (dist).
Your desk, with messages, words and settings: /desk. A link to it: npm run desk
`;

/** The server's exit code if it has to be started anew, which every supervisor but `npm start` does after any end. */
export const START_ANEW = 75;

/** A folder to serve, or what to answer right away. */
export function readCommandLine(): { folder: string | undefined } | { say: string; exitCode: 0 | 2 } {
  const [typed, ...more] = process.argv.slice(2);
  if (typed === '--help' || typed === '-h') return { say: HELP, exitCode: 0 };
  if (typed === '--version') return { say: describeVersion(), exitCode: 0 };
  const unknown = typed?.startsWith('-') ? typed : more[0];
  if (unknown !== undefined) return { say: `“${unknown}” isn’t known here.\n\n${HELP}`, exitCode: 2 };
  return { folder: typed };
}

export function describeVersion(): string {
  const { name, version } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8'));
  return `${name} ${version}\nNode ${process.versions.node}\n`;
}
