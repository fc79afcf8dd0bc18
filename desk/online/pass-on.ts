import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import type { SshServer } from '../../settings/checks.ts';
import { EXIT } from '../failures.ts';
import { note } from '../terminal.ts';
import { endOf, onServer } from './ssh.ts';

/** An argument on the server: what she typed comes by way of stdin, since others see command lines. */
export const ASKED = 'asked';

const STREAMS = ['stdin', 'stdout', 'stderr'] as const;

export function askServer(server: SshServer, args: string[], stdio: StdioOptions): ChildProcess {
  const child = onServer(server, `desk ${ASKED}`, { stdio });
  const { columns } = process.stdout;
  const terminal = STREAMS.map((name) => ({ isTTY: process[name].isTTY, columns }));
  // It may have ended before it read this.
  child.stdin?.on('error', () => {}).write(`${JSON.stringify({ args, terminal })}\n`);
  return child;
}

/** Runs a command there as if it ran here. Returns its exit code. */
export async function passOn(server: SshServer, args: string[]): Promise<number> {
  const child = askServer(server, args, ['pipe', 'inherit', 'inherit']);
  if (!process.stdin.isTTY) child.stdin?.end();
  else if (child.stdin) process.stdin.pipe(child.stdin);
  const code = await endOf(child);
  process.stdin.destroy();
  if (code <= EXIT.usage) return code;
  note(
    'The server didn’t do it. If that’s about a password, a key or a missing file, type once: npm run online\n',
  );
  return EXIT.failed;
}

/** On the server: the command, and what kind of terminal it's for. */
export async function takeAsked(): Promise<void> {
  const [text] = (await once(process.stdin.setEncoding('utf8'), 'data')) as [string];
  process.stdin.pause();
  const { args, terminal } = JSON.parse(text) as { args: string[]; terminal: object[] };
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  for (const [index, name] of STREAMS.entries()) Object.assign(process[name], terminal[index]);
}
