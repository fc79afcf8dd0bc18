import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { START_ANEW } from '../server/start-anew.ts';
import { PROJECT_ROOT } from '../settings/settings.ts';

// `npm start`: publishes the page if it's stale, with the program if that is, and serves it, each in a process that ends with this one.
let running: ChildProcess | undefined;
let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isEnding = true;
    if (!running) process.exit();
    // A console of Windows tells all its processes itself.
    if (process.platform !== 'win32') running.kill(signal);
  });

async function run(program: string, ...more: string[]): Promise<number> {
  const args = [join(PROJECT_ROOT, program), ...more];
  // The fourth is systemd's socket, where there's one.
  const socket = process.env.LISTEN_FDS ? (['inherit'] as const) : [];
  const child = spawn(process.execPath, args, { stdio: ['inherit', 'inherit', 'inherit', ...socket, 'ipc'] });
  running = child;
  const [code] = await once(child, 'exit');
  running = undefined;
  // Also after a Ctrl+C that came in the meantime.
  return isEnding ? process.exit(code ?? 1) : (code ?? 1);
}

for (let seen: number | undefined; ; await wait(500)) {
  const env = statSync(join(PROJECT_ROOT, '.env'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // Not for another page alone: two containers of one volume would build over each other's. The server says what's wrong.
  const built = env !== seen ? await run('publish/publish.ts', '--if-needed') : 0;
  // If not, what was built before can still be served.
  if (built !== 0 && seen === undefined) process.exit(built);
  seen = env;
  const code = await run('server/main.ts');
  if (code !== START_ANEW) process.exit(code);
}
