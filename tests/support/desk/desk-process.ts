import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { HOUR, MINUTE } from '../../../contract/time.ts';
import type { Message } from '../../../server/messages/table.ts';
import { PROJECT_ROOT } from '../../../settings/settings.ts';
import { rowAt } from '../database/message-rows.ts';
import { type Engine, newPostgresDatabase, openAt } from '../database/new-database.ts';
import { NODE_ENVIRONMENT } from '../service/node-environment.ts';
import { watchProcess } from '../service/server-process.ts';
import { START, temporaryFolder } from '../service.ts';

const PRELOAD = join(import.meta.dirname, '../service/server-preload.ts');

type RunOptions = { env?: Record<string, string>; stdout?: 'pipe' | number };

/** `npm run desk -- …` as its owner runs it, without a terminal, on the files in `folder`. */
export async function runDesk(
  folder: string,
  args: string[],
  { env = {}, stdout = 'pipe' }: RunOptions = {},
) {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'desk/desk-command.ts'), ...args], {
    cwd: folder,
    env: {
      ...NODE_ENVIRONMENT,
      NODE_OPTIONS: `--import=${PRELOAD}`,
      DATABASE_URL: `file:${join(folder, 'contact.db')}`,
      MAIL_DIR: join(folder, 'mail'),
      WORDS_DIR: join(folder, 'words'),
      // Not a server that happens to run on this machine.
      PORT: '0',
      TIME_ZONE: 'America/Toronto',
      // Not from the page that the owner has built.
      SENTENCES: '{"replyHours":24}',
      // The current time; `START` unless a test says otherwise. A moment later, since a command may read its clock within
      // the same millisecond, or after the machine's was set back by a few, and `START` has to be past by then.
      TEST_CLOCK_SHIFT: String(START - Date.now() + 500),
      ...env,
    },
    stdio: ['ignore', stdout, 'pipe'],
  });
  const said = watchProcess(child);
  const code = await said.exited;
  return { code, out: said.stdout(), err: said.err() };
}

/** The desk on its own database, which this process holds open as a running server would. */
export async function openTestDesk(engine: Engine) {
  const folder = temporaryFolder();
  const file = join(folder, 'contact.db');
  const url = engine === 'sqlite' ? `file:${file}` : await newPostgresDatabase();
  const database = await openAt(url);
  let added = 0;
  return {
    folder,
    file,
    url,
    database,

    /** A message delivered a minute after it came, unless a test changes that. */
    async add(change: Partial<Message> = {}): Promise<Message> {
      added += 1;
      const { received_at = START - HOUR, state = 'sent' } = change;
      const sent_at = state === 'sent' ? received_at + MINUTE : null;
      const times = { received_at, next_attempt_at: received_at, sent_at };
      const row = rowAt(added, { state, attempts: 1, ...times, ...change });
      await database.db.insertInto('contact_message').values(row).execute();
      return row;
    },

    rows: (): Promise<Message[]> =>
      database.db.selectFrom('contact_message').selectAll().orderBy('id').execute(),

    run: (args: string[], options: RunOptions = {}) =>
      runDesk(folder, args, { ...options, env: { DATABASE_URL: url, ...options.env } }),
  };
}
