import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { START_ANEW } from '../server/start-anew.ts';
import { PROJECT_ROOT, readSettings } from '../settings/settings.ts';

// `npm start`: publishes the page if it's stale, with the program if that is, and serves it, each in a process that ends with this one.
let running: ChildProcess | undefined;
let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isEnding = true;
    if (!running) process.exit();
    // A Windows console signals all its processes itself.
    if (process.platform !== 'win32') running.kill(signal);
  });

type Held = { fd: number; getsockname(name: object): number; close(): void };
// Node's own cluster holds a port this way. It isn't public: without it, whoever comes between two servers is refused.
const { _createServerHandle: bind } = net as {
  _createServerHandle?: (host: string, port: number, family: number) => Held | number;
};
let held: Held[] = [];
let place = '';

/** Keeps the sockets open from one server to the next, as systemd does. If it can't, the server opens its own. */
function hold(): void {
  const { host, port } = readSettings();
  if (process.env.LISTEN_FDS || place === `${host} ${port}`) return;
  place = `${host} ${port}`;
  for (const socket of held) socket.close();
  const hosts = port === 0 ? [] : host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  const found = hosts.map((one) => bind?.(one, port, net.isIP(one)));
  // On Windows, they have no file descriptor.
  const sockets = found.filter((one) => typeof one === 'object' && one.fd > 0) as Held[];
  held = sockets.every((socket) => socket.getsockname({}) === 0) ? sockets : [];
}

async function run(program: string, ...more: string[]): Promise<number> {
  const args = [join(PROJECT_ROOT, program), ...more];
  // From the fourth on: systemd's socket, if there is one, or ours.
  const sockets = process.env.LISTEN_FDS ? (['inherit'] as const) : held.map(({ fd }) => fd);
  const env = { LISTEN_FDS: String(sockets.length), LISTEN_PID: String(process.pid), ...process.env };
  const stdio: StdioOptions = ['inherit', 'inherit', 'inherit', ...sockets, 'ipc'];
  const child = spawn(process.execPath, args, { stdio, env });
  running = child;
  const [code] = await once(child, 'exit');
  running = undefined;
  // Even after a Ctrl+C that came in the meantime.
  return isEnding ? process.exit(code ?? 1) : (code ?? 1);
}

for (let seen: number | undefined; ; await wait(500)) {
  const env = statSync(join(PROJECT_ROOT, '.env'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // Not for a new page alone: two containers on one volume would overwrite each other's. The server says what's wrong.
  const built = env !== seen ? await run('publish/publish.ts', '--if-needed') : 0;
  // If not, what was built before can still be served.
  if (built !== 0 && seen === undefined) process.exit(built);
  seen = env;
  process.env.ENV_SEEN = String(env);
  try {
    hold();
  } catch {
    // The server says what's wrong with the settings.
  }
  const code = await run('server/main.ts');
  if (code !== START_ANEW) process.exit(code);
}
