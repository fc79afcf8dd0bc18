import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../build/vite.ts';

export type Served = { url: string; process: ChildProcess };

const started: ChildProcess[] = [];

/** `stopAll` ends it at the latest. */
export function start(program: string, args: string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  return child;
}

/** Serves the pages in `dist` with our own server, on a free port; messages go to `folder`. */
export async function serve(dist: string, folder: string): Promise<Served> {
  const server = start(process.execPath, ['server/main.ts', dist], {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    // So that a test client may speak for many.
    TRUST_PROXY: '127.0.0.1',
    DATABASE_URL: `file:${join(folder, 'contact.db')}`,
    MAIL_DIR: join(folder, 'mail'),
  });
  if (!server.stdout) throw new Error('the server has no output');
  for await (const line of createInterface(server.stdout)) {
    const url = /The page\s+(http:\S+)/.exec(line)?.[1];
    if (url) return { url, process: server };
  }
  throw new Error('the server did not start');
}

export async function stopAll(): Promise<void> {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill();
    await once(child, 'exit');
  }
}
