import { styleText } from 'node:util';
import { Command, CommanderError } from 'commander';
import { StoreError } from '../messages/store-error.ts';
import { describeVersion } from '../server/command-line.ts';
import { SettingsError } from '../settings/settings.ts';
import { addBackup, addRestore } from './backup.ts';
import { createDesk, type Desk } from './desk.ts';
import { addDigest } from './digest.ts';
import { addDoctor } from './doctor.ts';
import { addErase, addPurge } from './erase.ts';
import { addExport } from './export.ts';
import { codeOf, EXIT, Failed, WrongUsage } from './failures.ts';
import { addList } from './list.ts';
import { refuseOptionsTakenByNpm } from './npm-options.ts';
import { addReply } from './reply.ts';
import { addNotSpam, addRequeue, addSpam } from './requeue.ts';
import { addShow } from './show.ts';
import { addStats } from './stats.ts';
import { note } from './terminal.ts';

/**
 * `npm run desk`: what the owner does with the messages. Each command is a file that adds itself to
 * the program and takes from the desk what it needs; help shows them in this order.
 */
const COMMANDS = [
  addList,
  addShow,
  addReply,
  addStats,
  addDigest,
  addDoctor,
  addRequeue,
  addSpam,
  addNotSpam,
  addExport,
  addErase,
  addPurge,
  addBackup,
  addRestore,
];

/** Of SQLite, of Postgres, or of the way to it. */
const DATABASE_CODE = /^(SQLITE_[A-Z_]+|[0-9A-Z]{5}|ECONN[A-Z]+|ETIMEDOUT|ENOTFOUND|E[A-Z]+UNREACH)$/;

if (import.meta.main) await main();

async function main(): Promise<void> {
  const desk = createDesk();

  // Whoever reads us may stop reading, as `| head` does; then there is nothing left to do.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      if (stream === process.stdout) note(`The output cannot be written (${error.code}).\n`);
      process.exit(EXIT.failed);
    });
  }

  try {
    const program = createProgram(desk);
    refuseOptionsTakenByNpm(program, process.argv.slice(2), process.env);
    if (process.argv.length > 2) await program.parseAsync();
    else program.outputHelp();
  } catch (error) {
    process.exitCode = report(error);
  } finally {
    await desk.close();
  }
}

export function createProgram(desk: Desk): Command {
  // It looks into the settings, which are nobody's business until it is asked for.
  const version = process.argv.includes('--version') ? describeVersion().trimEnd() : '';
  const styled = (style: 'bold' | 'cyan') => (text: string) =>
    // Commander itself takes the style off again where no terminal reads it.
    styleText(style, text, { validateStream: false });
  const program = new Command()
    .name('npm run desk --')
    .usage('<command> [options]')
    .description('Read, answer, export, erase and look after the messages of your contact form.')
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show the help of this, or of a command')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({
      // Most commands take options; saying so at each would push their descriptions aside.
      subcommandTerm: (command) => `${command.name()} ${command.usage().replace('[options]', '').trim()}`,
      styleTitle: styled('bold'),
      styleCommandText: styled('cyan'),
      styleSubcommandText: styled('cyan'),
      styleOptionText: styled('cyan'),
    })
    .showHelpAfterError('(npm run desk help COMMAND shows what it takes. Options go after two dashes.)')
    .exitOverride()
    // Commander shows this with the program alone, not with each command.
    .addHelpText(
      'after',
      `
Options go after two dashes, or npm takes them for itself: npm run desk -- list --state waiting
For scripts: npm run --silent desk -- list --json
Exit codes: ${EXIT.done} done, ${EXIT.failed} it could not be done, ${EXIT.usage} wrong usage`,
    );
  for (const add of COMMANDS) add(program, desk);
  return program;
}

/** Tells what went wrong, and returns the exit code. */
function report(error: unknown): number {
  if (error instanceof WrongUsage) {
    note(`${error.message}\n`);
    return EXIT.usage;
  }
  // Commander has said the others already, and ends the help with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof Failed || error instanceof SettingsError || error instanceof StoreError) {
    note(`${error.message}\n`);
    return EXIT.failed;
  }
  const code = codeOf(error);
  if (error instanceof Error && 'path' in error) {
    note(`${String(error.path)} cannot be read or changed (${code}). Does this user have the right to?\n`);
    return EXIT.failed;
  }
  if (DATABASE_CODE.test(code)) {
    note(`The database did not do it (${code}). Try again; the server’s log may say more.\n`);
    return EXIT.failed;
  }
  throw error;
}
