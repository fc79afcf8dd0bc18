import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { temporaryFolder } from './open-test-service.ts';
import { changed } from './postgres.ts';

const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);
/** Undefined where it's installed. */
export const whyNoPgbouncer = PROGRAM ? undefined : 'pgbouncer is not installed';

if (whyNoPgbouncer) console.log(`PgBouncer isn’t tried: ${whyNoPgbouncer}.`);

/** The address of a pooler in transaction mode before that database, with four connections to it. */
export async function throughPgbouncer(url: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = join(temporaryFolder(), 'pgbouncer');
  mkdirSync(folder);
  writeFileSync(join(folder, 'users'), `"${username}" "${password}"`);
  const listenPort = await freePort();
  const isRoot = process.getuid?.() === 0;
  writeFileSync(
    join(folder, 'ini'),
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password} pool_size=4
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users')}
pool_mode = transaction
${isRoot ? 'user = nobody' : ''}`,
  );
  // As root, it runs as somebody else.
  for (const path of [join(folder, '..'), folder]) chmodSync(path, 0o755);
  const child = spawn(PROGRAM ?? '', [join(folder, 'ini')], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const accepts = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(listenPort, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
    });
  await expect.poll(accepts).toBe(true);
  return changed(url, { port: String(listenPort) });
}
