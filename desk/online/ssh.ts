import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SshServer } from '../../settings/checks.ts';
import { Failed } from '../failures.ts';

// The machine's own ssh does it all: it knows her keys, asks for passwords, and remembers servers.

/** Where everything of the site is on a server, but its messages. `deploy/on-server.sh` has it, too. */
export const PLACE = '/opt/blueprint-operations';

/** Messages, mails and backups. */
export const STATE = '/var/lib/blueprint-operations';

/** It never asks, so that nobody waits for an answer that cannot come. */
export const SILENT = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=15', '-o', 'ServerAliveInterval=15'];

type Options = { options?: string[]; stdio?: StdioOptions; asRoot?: boolean };

/**
 * @param command for the server's shell, as root unless it's said otherwise. Never with anything of hers: others see it in the list of processes
 */
export function ssh(
  { user, host, port }: SshServer,
  command: string,
  { options = SILENT, stdio = 'pipe', asRoot = true }: Options = {},
): ChildProcess {
  const isSudo = asRoot && user !== 'root';
  const run = isSudo ? `sudo -n sh -c '${command.replaceAll("'", "'\\''")}'` : command;
  return spawn('ssh', ['-p', String(port), ...options, '-l', user, '--', host, run], { stdio });
}

/** What the release that's online does for the laptop: see the verbs of `deploy/on-server.sh`. */
export function onServer(server: SshServer, words: string, more: Options = {}): ChildProcess {
  return ssh(server, `sh ${PLACE}/current/deploy/on-server.sh ${words}`, more);
}

/**
 * Waits for its end.
 *
 * @throws {Failed} with what ssh or the server said
 */
export async function outputOf(child: ChildProcess): Promise<string> {
  let [out, said] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await endOf(child);
  if (code === 0) return out;
  throw new Failed(`${said.trim() || out.trim() || `ssh ended with ${code}`}`);
}

/** In her words, from what ssh said: what's wrong, and in a second sentence what to do. */
export function whyNot(said: string): string {
  if (/on-server\.sh/.test(said)) return 'Your site isn’t online yet. In a terminal, type npm run online.';
  if (/permission denied|verification failed|password is required/i.test(said))
    return 'Your server asks for a password or a key. In a terminal, type npm run online once.';
  return `Your server can’t be reached. Is this computer online? (${said.split('\n').at(-1)?.trim()})`;
}

/** @throws {Failed} if there's no ssh */
export async function endOf(child: ChildProcess): Promise<number> {
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 1;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new Failed('This computer has no ssh. On Windows: Settings, Optional features, OpenSSH Client.');
  }
}
