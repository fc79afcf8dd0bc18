import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqlite } from '../server/messages/sqlite.ts';
import { temporaryFolder } from './support/service/open-test-service.ts';
import { startServer, submit, watchProcess } from './support/service/server-process.ts';

const ROOT = join(import.meta.dirname, '..');
const onLinux = test.skipIf(process.platform !== 'linux');
const text = (nth: number) => `Hello, this is ${'a'.repeat(nth)}`;

/** As in the container, but for the place of the volume and of the desk. */
async function runHook(name: string, storage: string): Promise<string> {
  const read = (file: string) => readFileSync(join(ROOT, 'deploy/container', file), 'utf8');
  const programs = temporaryFolder();
  const desk = read('desk').replace('/site', ROOT).replace('exec node', `exec '${process.execPath}'`);
  writeFileSync(join(programs, 'desk'), desk, { mode: 0o755 });
  const PATH = `${programs}:${process.env.PATH}`;
  const env = { PATH, DATABASE_URL: `file:${storage}/contact.db`, WORDS_DIR: storage, MAIL_DIR: storage };
  const child = spawn('sh', ['-c', read(name).replaceAll('/storage', storage)], { env });
  const { out, exited } = watchProcess(child);
  return (await exited) === 0 ? 'done' : out();
}

/** What's in a copy of the volume once it was made right. */
async function restored(storage: string, change: (copy: string) => void = () => {}): Promise<string[]> {
  const copy = temporaryFolder();
  // Mails get their names meanwhile, which `cpSync` doesn't survive.
  const filter = (path: string) => !path.endsWith('/mail');
  cpSync(storage, copy, { recursive: true, preserveTimestamps: true, filter });
  change(copy);
  for (const time of ['once', 'twice']) expect(await runHook('post-restore', copy), time).toBe('done');
  const { db, sqlite, close } = await openSqlite(join(copy, 'contact.db'));
  expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
  const rows = await db.selectFrom('contact_message').select('message').orderBy('received_at').execute();
  await close();
  return rows.map(({ message }) => message);
}

onLinux('a volume copied while visitors write holds all that came before', async () => {
  const storage = temporaryFolder();
  const { url } = await startServer(storage);
  let [nth, goesOn] = [0, true];
  const writing = (async () => {
    while (goesOn) expect(await submit(url, text(++nth))).toBe(200);
  })();
  expect(await runHook('pre-backup', storage)).toBe('done');
  const before = nth - 1;
  expect(await runHook('pre-backup', storage), 'over the copy of the day before').toBe('done');
  expect(nth - 1, 'it goes on').toBeGreaterThan(before);
  // As when the database is copied in the middle of a write.
  const messages = await restored(storage, (copy) => truncateSync(join(copy, 'contact.db'), 8_192));
  expect(messages).toEqual(messages.map((_, at) => text(at + 1)));
  expect(messages.length).toBeGreaterThanOrEqual(before);
  goesOn = false;
  await writing;
});

onLinux(
  'a database that was stopped or held still while it was copied is newer than the copy in it',
  async () => {
    const storage = temporaryFolder();
    const server = await startServer(storage);
    expect(await submit(server.url, text(1))).toBe(200);
    expect(await runHook('pre-backup', storage)).toBe('done');
    expect(await submit(server.url, text(2))).toBe(200);
    const later = (copy: string) => {
      const made = statSync(join(copy, 'backup/messages.db')).mtimeMs / 1000;
      utimesSync(join(copy, 'contact.db-wal'), made, made + 2 * 3600);
    };
    expect(await restored(storage, later)).toEqual([text(1), text(2)]);
    server.kill('SIGTERM');
    await server.exited;
    expect(await restored(storage)).toEqual([text(1), text(2)]);
    // No copy is better than an old one.
    writeFileSync(join(storage, 'contact.db'), 'damaged');
    expect(await runHook('pre-backup', storage)).toMatch(/contact\.db/);
    expect(existsSync(join(storage, 'backup/messages.db'))).toBe(false);
  },
);
