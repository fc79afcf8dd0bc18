import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadEnv, PROJECT_ROOT, readSettings, SettingsError } from '../settings/settings.ts';

const HELP = `Usage: npm start [-- options]

Serves the page and takes the messages of its form. Settings come from the environment and from .env;
.env.example lists them all.

Options:
  -h, --help  show this
  --version   show the version of this program, of Node, and the kind of the database

Without the build before: node server/main.ts [FOLDER], which serves the built page in FOLDER (dist).
To read and look after messages: npm run desk
`;

/** The server's exit code if it has to be started anew, which every supervisor but `npm start` does after any end. */
export const START_ANEW = 75;

/** What was typed after the command: a folder to serve, or something to answer right away. */
type CommandLine = Start | { say: string; exitCode: 0 | 2 };

export type Start = { folder: string | undefined };

export function readCommandLine(args: string[] = process.argv.slice(2)): CommandLine {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
      allowPositionals: true,
    });
    if (values.help) return { say: HELP, exitCode: 0 };
    if (values.version) return { say: describeVersion(), exitCode: 0 };
    if (positionals.length > 1) return wrong(`One folder at most, and not also “${positionals[1]}”.`);
    return { folder: positionals[0] };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return wrong(error.message.split('. ')[0] ?? '');
  }
}

function wrong(what: string): CommandLine {
  return { say: `${what}\n--help shows the options.\n`, exitCode: 2 };
}

/** For bug reports: what's running, on what, and with which kind of database. */
export function describeVersion(): string {
  const { name, version } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  return `${name} ${version}\nNode ${process.versions.node}\nDatabase ${engine()}\n`;
}

function engine(): string {
  try {
    return { sqlite: 'SQLite', postgres: 'Postgres' }[readSettings(loadEnv()).database.engine];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return 'unknown, since the settings are wrong';
  }
}
