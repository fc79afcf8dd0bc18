import { hideUnexpected } from '../server/log.ts';
import { codeOf } from '../server/messages/store-error.ts';
import { EXIT, explain, note, WrongUsage, write } from './command/command.ts';
import { open } from './door/open.ts';
import { backup } from './keep/backup.ts';
import { exportMessages, list } from './keep/export.ts';
import { restore } from './keep/restore.ts';

const COMMANDS: Record<string, (args: string[]) => Promise<void>> = {
  open,
  list,
  // Loaded only then, since it's most of the desk's code.
  doctor: async (args) => (await import('./check/check.ts')).doctor(args),
  export: exportMessages,
  backup,
  restore,
};

const HELP = `Usage: npm run desk -- COMMAND [options]

  open                show a link that opens the desk once, while the site runs; so does npm run desk alone
  list --json         all messages as JSON, newest first
  doctor              check whether messages reach you
    --send-test         also send one test message the whole way, from the form to your inbox
    --json              for scripts
  export FILE         write all messages to a new .csv or .json file, oldest first
  backup FILE         copy all that is yours into one new .zip, even while the server runs. If FILE ends in .db, it’s
                      a SQLite database with the messages alone
  restore FILE        restore a backup where there is nothing yet. Only use one that you made yourself. Its settings
                      are put beside .env for you to read

Options go after two dashes, or npm takes them for itself. docs/desk.md says more.
Exit codes: ${EXIT.done} done, ${EXIT.failed} it could not be done, ${EXIT.usage} wrong usage
`;

hideUnexpected();

// `| head` closes the pipe early, which isn't an error.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    if (stream === process.stdout) note(`The output cannot be written (${error.code}).\n`);
    process.exit(EXIT.failed);
  });

try {
  const typed = process.argv.slice(2);
  const [name = 'open', ...args] = typed;
  const command = Object.hasOwn(COMMANDS, name) && COMMANDS[name];
  if (name === 'help' || typed.includes('--help') || typed.includes('-h')) write(HELP);
  else if (!command) throw new WrongUsage(`There’s no command ${name}.`);
  else await command(args);
} catch (error) {
  const isMistyped = codeOf(error).startsWith('ERR_PARSE_ARGS') || error instanceof WrongUsage;
  const advice = 'npm run desk help lists what you can type. Options go after two dashes.';
  note(isMistyped ? `${(error as Error).message}\n${advice}\n` : `${explain(error)}\n`);
  process.exitCode = isMistyped ? EXIT.usage : EXIT.failed;
}
