import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const SCRIPT = join(import.meta.dirname, 'bare-server.sh');
const PROGRAMS = ['debootstrap', 'systemd-nspawn', 'ip', 'iptables', 'mkfs.ext4', 'setpriv', 'ssh'];
const SERVERS = join(tmpdir(), 'bare-servers');

export type BareServer = Awaited<ReturnType<typeof bootBareServer>>;

/** Why no server can be booted on this machine, for a test's title; undefined where one can. */
export function whyNotHere(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = PROGRAMS.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  // A container's root has fewer rights.
  const isRoot = existsSync('/dev/loop-control') && spawnSync('unshare', ['--mount', 'true']).status === 0;
  return isRoot ? undefined : 'needs loop devices and namespaces';
}

/** Bare Debian with sshd, on a network and a disk of its own. Ends with this process at the latest. `memory` is in MB. */
export async function bootBareServer({ suite = 'bookworm', memory = 1024 } = {}) {
  const image = await bareImage(suite);
  const number = Number(script('take', process.pid));
  const folder = join(SERVERS, `${number}.d`);
  const address = `10.77.${number}.2`;
  mkdirSync(folder);
  must('cp', '--sparse=always', '--reflink=auto', image, join(folder, 'disk.img'));
  must('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key'));

  const boot = () => spawnBoot(folder, number, memory);
  let child = boot();

  const [key, knownHosts] = [join(folder, 'key'), join(folder, 'known_hosts')];
  const patience = ['BatchMode=yes', 'ConnectTimeout=2', 'ServerAliveInterval=3', 'ServerAliveCountMax=2'];
  const options = [`UserKnownHostsFile=${knownHosts}`, ...patience].flatMap((option) => ['-o', option]);
  /** What a command prints in there. It fails as the command does. */
  async function run(command: string, input?: Buffer): Promise<string> {
    const args = ['-F', 'none', '-i', key, ...options, `root@${address}`, command];
    const asked = promisify(execFile)('ssh', args, { maxBuffer: 1 << 26 });
    asked.child.stdin?.on('error', () => undefined).end(input);
    return (await asked).stdout;
  }
  async function isUp(): Promise<void> {
    while ((await run('true').catch(() => undefined)) === undefined) {
      if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'boot.log'), 'utf8'));
      await wait(100);
    }
  }
  async function end(): Promise<void> {
    await kill(child);
    script('give_back', number);
  }

  await isUp().catch(async (error) => {
    await end();
    throw error;
  });
  return {
    address,
    run,
    end,
    /** As when somebody pulls the plug, and puts it back. */
    async pullPlug(): Promise<void> {
      await kill(child);
      script('down', number);
      child = boot();
      await isUp();
    },
  };
}

function spawnBoot(folder: string, number: number, memory: number): ChildProcess {
  const log = openSync(join(folder, 'boot.log'), 'w');
  const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const script = ['bash', SCRIPT, 'boot', folder, String(number), String(memory)];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...apart, ...script], {
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  if (child.exitCode === null && child.kill('SIGKILL')) await ended;
}

/** Made once on this machine, which takes about a minute. */
async function bareImage(suite: string): Promise<string> {
  const image = join(tmpdir(), `bare-${suite}.img`);
  if (existsSync(image)) return image;
  const made = `${image}.${process.pid}`;
  const script = ['--mount', '--propagation', 'private', 'bash', SCRIPT, 'image', made, suite];
  try {
    await promisify(execFile)('unshare', script, { maxBuffer: 1 << 26 });
    renameSync(made, image);
  } finally {
    rmSync(made, { force: true });
  }
  return image;
}

const script = (verb: string, about: number) => must('bash', SCRIPT, verb, SERVERS, String(about));

function must(program: string, ...args: string[]) {
  const done = spawnSync(program, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stderr}`);
  return done.stdout.trim();
}
