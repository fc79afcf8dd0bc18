import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readCommandLine, START_ANEW } from '../server/command-line.ts';
import { loadEnv, readSettings } from '../settings/settings.ts';
import { isStale } from './stale.ts';
import { ROOT } from './vite.ts';

// `npm start`: builds the site if it's stale, then serves it, each in a process that ends with this one.
let running: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // A console of Windows tells all its processes itself.
    if (process.platform !== 'win32') running?.kill(signal);
    running = undefined;
  });

async function run(program: string): Promise<number> {
  const args = [join(ROOT, program), ...process.argv.slice(2)];
  // The fourth is systemd's socket, where there's one.
  const socket = process.env.LISTEN_FDS ? (['inherit'] as const) : [];
  const child = spawn(process.execPath, args, { stdio: ['inherit', 'inherit', 'inherit', ...socket, 'ipc'] });
  running = child;
  const [code] = await once(child, 'exit');
  // Also after a Ctrl+C that came in the meantime.
  return running ? (code ?? 1) : process.exit(code ?? 1);
}

const isToBuild = async () => !('say' in readCommandLine()) && isStale(readSettings(loadEnv(ROOT)));

for (let seen: number | undefined; ; await wait(500)) {
  const env = statSync(join(ROOT, '.env'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // Not for another page alone: two containers of one volume would build over each other's. The server says what's wrong.
  const built = env !== seen && (await isToBuild().catch(() => false)) ? await run('build/build.ts') : 0;
  // If not, what was built before can still be served.
  if (built !== 0 && seen === undefined) process.exit(built);
  seen = env;
  const code = await run('server/main.ts');
  if (code !== START_ANEW) process.exit(code);
}
