import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { storedRows } from '../database/stored-rows.ts';
import { call, MESSAGE } from '../service.ts';
import { serverEnvironment } from './node-environment.ts';
import { watch } from './watch.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PRELOAD = join(import.meta.dirname, 'server-preload.ts');

export type ServerProcess = Awaited<ReturnType<typeof startServer>>;

/** `node server/main.ts` as its owner runs it, on a free port, with its files in `folder`; or a program that runs it. */
export async function startServer(
  folder: string,
  env: Record<string, string> = {},
  { stdout = 'pipe', under = [] }: { stdout?: 'pipe' | number; under?: string[] } = {},
) {
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, 'index.html'), '<h1>Home</h1>');
  const node = [process.execPath, '--max-old-space-size=512'];
  const [program = '', ...args] = [...under, ...node, '--import', PRELOAD, 'server/main.ts', dist];
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', stdout, 'pipe', 'ipc'],
    env: {
      ...serverEnvironment(folder),
      MAIL_PER_HOUR: '1000000',
      // Lets a test play many visitors.
      TRUST_PROXY: '127.0.0.1',
      ...env,
    },
  });
  const output = watchProcess(child);
  const port = await Promise.race([
    new Promise<number>((resolve) => child.once('message', resolve)),
    output.exited.then(() => expect.fail(`The server did not start:\n${output.out()}`)),
  ]);
  // The log is quiet until the startup block is printed.
  if (child.stdout) await output.says(/The page +http:/);
  return {
    child,
    port,
    url: `http://127.0.0.1:${port}`,
    ...output,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
  };
}

/** A process's output. It ends with the test. */
export function watchProcess(child: ChildProcess) {
  const watched = watch(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await watched.exited;
  });
  return watched;
}

/** Visits again and again, over new connections, until told to end. Returns each answer that somebody got. */
export function startVisits(url: string): () => Promise<unknown[]> {
  const answers = new Set<unknown>();
  let isOver = false;
  const visit = async () => {
    while (!isOver) {
      const visited = fetch(url, { headers: { connection: 'close' } });
      answers.add(await visited.then(({ status }) => status).catch(({ cause }) => cause.code));
    }
  };
  const visits = [visit(), visit(), visit()];
  return async () => {
    isOver = true;
    await Promise.all(visits);
    return [...answers];
  };
}

export const waitingIn = (file: string): number => storedRows(file, "state = 'waiting'").length;

let visitors = 0;

/** One visitor's call. Resolves to the status, or to undefined if no complete answer came in time. */
export async function submit(url: string, text: string, patienceMs = 30_000): Promise<number | undefined> {
  visitors += 1;
  try {
    const [path, init] = call(
      { ...MESSAGE, message: text },
      {
        'x-forwarded-for': `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`,
        // The other side is allowed to close a pooled connection in the middle of a request.
        connection: 'close',
      },
    );
    const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(patienceMs) });
    await response.text();
    return response.status;
  } catch {
    return undefined;
  }
}
