import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqlite } from '../server/messages/open.ts';
import { temporaryFolder } from './support/service/open-test-service.ts';
import { startServer, submit, watchProcess } from './support/service/server-process.ts';

const ROOT = join(import.meta.dirname, '..');
const onLinux = test.skipIf(process.platform !== 'linux');

/** As in the container, but for the place of the volume and of the desk. */
async function runHook(name: string, storage: string): Promise<string> {
  const programs = temporaryFolder();
  const read = (file: string) => readFileSync(join(ROOT, 'deploy/container', file), 'utf8');
  const desk = read('desk').replace('exec node', `exec '${process.execPath}'`).replace('/site', ROOT);
  writeFileSync(join(programs, 'desk'), desk, { mode: 0o755 });
  const child = spawn('sh', {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {
      PATH: `${programs}:${process.env.PATH}`,
      DATABASE_URL: `file:${storage}/contact.db`,
      MAIL_DIR: join(storage, 'mail'),
      WORDS_DIR: join(storage, 'mine'),
    },
  });
  const { out, exited } = watchProcess(child);
  child.stdin.end(read(name).replaceAll('/storage', storage));
  return (await exited) === 0 ? 'done' : out();
}

function copyOf(storage: string): string {
  const copy = temporaryFolder();
  cpSync(storage, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

async function textsIn(storage: string): Promise<string[]> {
  const { db, sqlite, close } = await openSqlite(join(storage, 'contact.db'));
  try {
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    const rows = await db.selectFrom('contact_message').select('message').execute();
    return rows.map(({ message }) => message).sort();
  } finally {
    await close();
  }
}

const text = (nth: number) => `Hello, this is ${'a'.repeat(nth)}`;

onLinux('a volume copied while visitors write holds all that came before', async () => {
  const storage = temporaryFolder();
  const { url } = await startServer(storage);
  for (let nth = 1; nth <= 5; nth += 1) expect(await submit(url, text(nth))).toBe(200);
  let nth = 5;
  let goesOn = true;
  const writing = (async () => {
    for (; goesOn; ) expect(await submit(url, text(++nth))).toBe(200);
  })();
  expect(await runHook('pre-backup', storage)).toBe('done');
  const before = nth - 1;
  expect(await runHook('pre-backup', storage), 'over the copy of the day before').toBe('done');
  expect(nth - 1, 'it goes on').toBeGreaterThan(before);
  const copy = copyOf(storage);
  goesOn = false;
  await writing;
  // As when the database is copied in the middle of a write.
  truncateSync(join(copy, 'contact.db'), 8_192);
  mkdirSync(join(copy, 'page.new-7'));
  expect(await runHook('post-restore', copy)).toBe('done');
  expect(await textsIn(copy)).toEqual(
    expect.arrayContaining(Array.from({ length: before }, (_, at) => text(at + 1))),
  );
  expect(await runHook('post-restore', copy), 'twice').toBe('done');
});

onLinux(
  'a database that was stopped or held still while it was copied is newer than the copy in it',
  async () => {
    const storage = temporaryFolder();
    const server = await startServer(storage);
    expect(await submit(server.url, text(1))).toBe(200);
    expect(await runHook('pre-backup', storage)).toBe('done');
    expect(await submit(server.url, text(2))).toBe(200);

    const held = copyOf(storage);
    const made = statSync(join(held, 'backup/messages.db')).mtimeMs / 1000;
    utimesSync(join(held, 'contact.db-wal'), made, made + 2 * 3600);
    expect(await runHook('post-restore', held)).toBe('done');
    expect(await textsIn(held)).toEqual([text(1), text(2)]);

    server.kill('SIGTERM');
    await server.exited;
    const stopped = copyOf(storage);
    expect(await runHook('post-restore', stopped)).toBe('done');
    expect(await textsIn(stopped)).toEqual([text(1), text(2)]);

    // No copy is better than an old one.
    writeFileSync(join(storage, 'contact.db'), 'damaged');
    expect(await runHook('pre-backup', storage)).toMatch(/contact\.db/);
    expect(existsSync(join(storage, 'backup/messages.db'))).toBe(false);
  },
);
