import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../server/messages/open.ts';
import type { Message } from '../../../server/messages/table.ts';
import { rowAt } from '../database/message-rows.ts';
import { newPostgresDatabase } from '../database/test-postgres.ts';
import { START, temporaryFolder } from '../service/open-test-service.ts';
import type { HostedRun } from './desk-host.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PRELOAD = join(import.meta.dirname, '../service/server-preload.ts');

/** Everything the desk promises holds on both. */
export const ENGINES = ['sqlite', 'postgres'] as const;

export type DeskRun = { code: number | null; out: string; err: string };
type RunOptions = { env?: Record<string, string>; stdout?: 'pipe' | number };

/** `npm run desk -- …` as its owner runs it, without a terminal, on the files in `folder`. */
export async function runDesk(
  folder: string,
  args: string[],
  { env = {}, stdout = 'pipe' }: RunOptions = {},
): Promise<DeskRun> {
  const run = { folder, args, env: deskEnv(folder, env) };
  // Only a process of its own has another output, or takes other options of Node.
  if (stdout !== 'pipe' || env.NODE_OPTIONS !== undefined) return runDeskProcess(run, stdout);
  const host = idleHosts.pop() ?? startHost();
  const isRunning = new AbortController();
  onTestFinished(() => {
    if (!isRunning.signal.aborted) host.kill('SIGKILL');
  });
  host.ref();
  host.send(run);
  const [result] = (await Promise.race([
    once(host, 'message', { signal: isRunning.signal }),
    once(host, 'exit', { signal: isRunning.signal }).then(([code]) => {
      throw new Error(`The process of the desk ended with ${code}`);
    }),
  ]).finally(() => isRunning.abort())) as [DeskRun];
  host.unref();
  idleHosts.push(host);
  return result;
}

/** They stay for the other tests of the file, and end with its process. */
const idleHosts: ChildProcess[] = [];

function startHost(): ChildProcess {
  const host = fork(join(import.meta.dirname, 'desk-host.ts'), {
    env: { PATH: process.env.PATH ?? '' },
    execArgv: [`--import=${PRELOAD}`],
  });
  host.channel?.unref();
  return host;
}

async function runDeskProcess({ folder, args, env }: HostedRun, stdout: 'pipe' | number): Promise<DeskRun> {
  const child = spawn(process.execPath, [join(ROOT, 'desk/desk-command.ts'), ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', stdout, 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  const code = await new Promise<number | null>((resolve) => void child.on('close', resolve));
  return { code, out, err };
}

function deskEnv(folder: string, env: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    NODE_OPTIONS: `--import=${PRELOAD}`,
    DATABASE_URL: `file:${join(folder, 'contact.db')}`,
    MAIL_DIR: join(folder, 'mail'),
    WORDS_DIR: join(folder, 'words'),
    TIME_ZONE: 'America/Toronto',
    // Not those of the page that the owner has built.
    SENTENCES: '{"replyHours":24}',
    // The current time; `START` unless a test says otherwise. A moment later, since a command may read its clock within
    // the same millisecond, or after the machine's was set back by a few, and `START` has to be past by then.
    TEST_CLOCK_SHIFT: String(START - Date.now() + 500),
    ...env,
  };
}

/** The desk on its own database, which this process holds open as a running server would. */
export async function openTestDesk(engine: (typeof ENGINES)[number]) {
  const folder = temporaryFolder();
  const file = join(folder, 'contact.db');
  const url = engine === 'sqlite' ? `file:${file}` : await newPostgresDatabase();
  const database = await openDatabase(engine === 'sqlite' ? { engine, file } : { engine, url });
  onTestFinished(() => database.close());
  let added = 0;
  return {
    folder,
    file,
    url,
    database,

    /** A message delivered a minute after it came, unless a test changes that. */
    async add(change: Partial<Message> = {}): Promise<Message> {
      added += 1;
      const received_at = change.received_at ?? START - 3_600_000;
      const isSent = (change.state ?? 'sent') === 'sent';
      const row = rowAt(added, {
        received_at,
        state: 'sent',
        attempts: 1,
        next_attempt_at: received_at,
        sent_at: isSent ? received_at + 60_000 : null,
        ...change,
      });
      await database.db.insertInto('contact_message').values(row).execute();
      return row;
    },

    /** Everything stored, ordered by id. */
    rows: (): Promise<Message[]> =>
      database.db.selectFrom('contact_message').selectAll().orderBy('id').execute(),

    run: (args: string[], options: RunOptions = {}) =>
      runDesk(folder, args, { ...options, env: { DATABASE_URL: url, ...options.env } }),
  };
}
