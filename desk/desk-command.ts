import { styleText } from 'node:util';
import { Command, CommanderError } from 'commander';
import { describeVersion } from '../server/command-line.ts';
import { addBackup } from './backup-command.ts';
import { createDesk, type Desk, isOnServer, LOCAL } from './desk.ts';
import { addDoctor } from './doctor.ts';
import { addExport } from './export.ts';
import { EXIT, explain, WrongUsage } from './failures.ts';
import { addList } from './list.ts';
import { ASKED, passOn, takeAsked } from './online/pass-on.ts';
import { addOpen } from './open-desk.ts';
import { addRestore } from './restore.ts';
import { note } from './terminal.ts';

/** In the order of the help. */
const COMMANDS = [addOpen, addList, addDoctor, addExport, addBackup, addRestore];

/** Those that the server runs, if there's one. */
const PASSED = /^(list|doctor)$/;

if (import.meta.main) await main();

export async function main(): Promise<void> {
  const desk = createDesk();

  // `| head` closes the pipe early, which isn't an error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      if (stream === process.stdout) note(`The output cannot be written (${error.code}).\n`);
      process.exit(EXIT.failed);
    });
  }

  try {
    if (isOnServer() && process.argv[2] === ASKED) await takeAsked();
    const args = process.argv.slice(2).filter((argument) => argument !== LOCAL);
    const isPassed = PASSED.test(args[0] ?? '') && !args.includes('--help');
    const server = isPassed ? desk.server() : undefined;
    if (server) process.exitCode = await passOn(server, args);
    else await createProgram(desk).parseAsync(args.length > 0 ? args : ['open'], { from: 'user' });
  } catch (error) {
    process.exitCode = report(error);
  } finally {
    await desk.close();
  }
}

export function createProgram(desk: Desk): Command {
  // Only on demand: it reads the settings, and help must work without them.
  const version = process.argv.includes('--version') ? describeVersion().trimEnd() : '';
  const styled = (style: 'bold' | 'cyan') => (text: string) =>
    // Commander strips styles itself when the output isn't a terminal.
    styleText(style, text, { validateStream: false });
  const program = new Command()
    .name('npm run desk --')
    .usage('<command> [options]')
    .description(
      'Open the desk in your browser; or, for scripts and servers, list, export, back up and check.',
    )
    .version(version, '--version', 'show the version')
    .option(LOCAL, 'this computer’s messages, also if SERVER is set')
    .helpOption('-h, --help', 'show the help of this, or of a command')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({
      // Drop `[options]`, which nearly every line would have.
      subcommandTerm: (command) =>
        `${[command.name(), ...command.aliases()].join('|')} ${command.usage().replace('[options]', '').trim()}`,
      styleTitle: styled('bold'),
      styleCommandText: styled('cyan'),
      styleSubcommandText: styled('cyan'),
      styleOptionText: styled('cyan'),
    })
    .showHelpAfterError('(npm run desk help COMMAND shows what it takes. Options go after two dashes.)')
    .exitOverride()
    .addHelpText(
      'after',
      `
Options go after two dashes, or npm takes them for itself: npm run desk -- list --state waiting
For scripts: npm run --silent desk -- list --json
Exit codes: ${EXIT.done} done, ${EXIT.failed} it could not be done, ${EXIT.usage} wrong usage`,
    );
  for (const add of COMMANDS) add(program, desk);
  for (const command of program.commands)
    if (!command.options.some(({ long }) => long === '--json')) command.option('--json', 'for scripts');
  return program;
}

/** Returns the exit code. */
function report(error: unknown): number {
  const isUsage = error instanceof WrongUsage;
  // Commander has already printed its message. For help, its exit code is 0.
  if (error instanceof CommanderError && !isUsage) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  note(`${explain(error)}\n`);
  return isUsage ? EXIT.usage : EXIT.failed;
}
