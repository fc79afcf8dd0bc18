import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { MESSAGE, START, temporaryFolder } from '../tests/open-test-service.ts';
import { startServer, submit } from '../tests/server-process.ts';

/** What the next start finds, now that the last process has ended. */
function storedTexts(file: string): string[] {
  const sqlite = new Database(file, { fileMustExist: true });
  try {
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    return sqlite
      .prepare<[], string>('select message from contact_message order by received_at, id')
      .pluck()
      .all();
  } finally {
    sqlite.close();
  }
}

test('several processes may make the same new database at once', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const script = `const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, '../tests/open-store.ts'))});
    const store = await openStore(${JSON.stringify({ engine: 'sqlite', file })}, { mailDomain: 'example.com' });
    await store.add(${JSON.stringify(MESSAGE)}, { now: ${START} });
    await store.close();`;
  const codes = await Promise.all(
    Array.from(
      { length: 4 },
      () =>
        new Promise((resolve) => {
          spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }).on(
            'close',
            resolve,
          );
        }),
    ),
  );
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(storedTexts(file)).toEqual([MESSAGE.message]);
});

test('a folder that cannot be written is refused in words', async () => {
  const folder = join(temporaryFolder(), 'readonly');
  mkdirSync(folder);
  const file = join(folder, 'contact.db');
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    await expect(open(file)).rejects.toThrow(/cannot be written \(EACCES\).*DATABASE_URL/s);
    return;
  }
  // Root can write anywhere, so another user tries.
  chmodSync(folder, 0o755);
  chmodSync(join(folder, '..'), 0o755);
  const script = `process.setgid(65534); process.setuid(65534);
    const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, '../tests/open-store.ts'))});
    await openStore(${JSON.stringify({ engine: 'sqlite', file })}, { mailDomain: 'example.com' }).catch((error) => console.log(error.message));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(said).toMatch(/cannot be written \(EACCES\).*DATABASE_URL/s);
});

test('an orderly stop leaves what nobody has been mailed yet where the next start finds it', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const env = {
    DATABASE_URL: `file:${join(data, 'contact.db')}`,
    // Nothing listens there, so the message waits.
    SMTP_URL: 'smtp://127.0.0.1:9',
  };
  const server = await startServer(folder, env);
  expect(await submit(server.url, 'not mailed yet')).toBe(200);
  rmSync(data, { recursive: true });
  expect(await submit(server.url, 'refused')).toBe(503);
  await expect.poll(server.out).toMatch(/VISITORS ARE TURNED AWAY/);
  expect(existsSync(data)).toBe(false);
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(storedTexts(join(data, 'contact.db'))).toEqual(['not mailed yet']);
});

test('the running server notices by itself that the log is gone, and a kill then loses nothing', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const server = await startServer(folder, { DATABASE_URL: `file:${join(data, 'contact.db')}` });
  for (const text of ['one', 'two', 'three']) expect(await submit(server.url, text)).toBe(200);
  rmSync(join(data, 'contact.db-wal'));
  await expect.poll(server.out).toContain('the database was opened anew; messages are taken again');
  renameSync(join(data, 'contact.db'), join(data, 'away.db'));
  await expect.poll(server.out).toContain('VISITORS ARE TURNED AWAY');
  renameSync(join(data, 'away.db'), join(data, 'contact.db'));
  await expect.poll(server.out).toContain('the database is back where it was; messages are taken again');
  expect(await submit(server.url, 'four')).toBe(200);
  server.kill('SIGKILL');
  await server.exited;
  expect(storedTexts(join(data, 'contact.db'))).toEqual(['one', 'two', 'three', 'four']);
});
