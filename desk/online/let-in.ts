import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT, type Settings } from '../../settings/settings.ts';
import { Failed } from '../failures.ts';
import { endOf, outputOf, SILENT, ssh } from './ssh.ts';

type Server = Settings['server'] & {};

/** What's on the server already. */
export type Look = Awaited<ReturnType<typeof lookAt>>;

/**
 * Sees to it that ssh gets in without asking from now on: with a key of hers, or a new one.
 *
 * @throws {Failed} with what she can do
 */
export async function letIn(server: Server, isAsked: boolean): Promise<void> {
  const refused = await outputOf(ssh(server, 'true')).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refused === undefined) return;
  const isDoor = /permission denied|host key verification failed|too many authentication/i.test(refused);
  if (!isDoor || /has changed/i.test(refused))
    throw new Failed(`${server.host} can’t be reached with ssh:\n\n${refused}`);
  if (!isAsked) throw new Failed('The server asks who you are. Run npm run online once in a terminal.');
  const key = await publicKey();
  console.log(`
The server doesn’t know this computer yet. In a moment, ssh may ask whether you know the server, and for its password;
then it puts this line there, and asks no more. If you have no password, paste the line into your provider’s page, where it
says “SSH keys”, and run this again:

${key}
`);
  const add = `umask 077; mkdir -p ~/.ssh && IFS= read -r key && { grep -qxF "$key" ~/.ssh/authorized_keys 2>/dev/null || printf '%s\\n' "$key" >> ~/.ssh/authorized_keys; }`;
  const child = ssh(server, add, { options: [], stdio: ['pipe', 'inherit', 'inherit'], asRoot: false });
  child.stdin?.on('error', () => {}).end(`${key}\n`);
  if ((await endOf(child)) !== 0)
    throw new Failed('The server didn’t let this computer in. Nothing was changed.');
  await outputOf(ssh(server, 'true'));
}

/** The one that ssh would offer first, or a new one. */
async function publicKey(): Promise<string> {
  const folder = join(homedir(), '.ssh');
  const names = await readdir(folder).catch((): string[] => []);
  const name =
    ['id_ed25519.pub', 'id_ecdsa.pub', 'id_rsa.pub'].find((one) => names.includes(one)) ?? 'id_ed25519.pub';
  const path = join(folder, name);
  if (!existsSync(path)) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    console.log('Making a key for this computer …');
    await endOf(
      spawn('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.slice(0, -4)], { stdio: 'inherit' }),
    );
  }
  return (await readFile(path, 'utf8')).trim();
}

export async function lookAt(server: Server) {
  const script = readFileSync(join(PROJECT_ROOT, 'deploy/on-server.sh'));
  const child = ssh(server, 'sh -s look', { options: SILENT, stdio: 'pipe' });
  child.stdin?.on('error', () => {}).end(script);
  const found = Object.fromEntries(
    (await outputOf(child)).split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]),
  );
  const domains = (found.domains ?? '').split(' ').filter(Boolean);
  return {
    /** Its number; empty for a server without the site. */
    release: found.release ?? '',
    hasMessages: found.messages === 'yes',
    addresses: (found.addresses ?? '').split(' ').filter(Boolean),
    /** Those that Caddy has certificates for. */
    domains,
    domain: domains[0],
  };
}
