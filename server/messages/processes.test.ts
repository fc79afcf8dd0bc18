import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storedTexts } from '../../tests/support/database/message-rows.ts';
import { startServer, submit } from '../../tests/support/service/server-process.ts';
import { temporaryFolder } from '../../tests/support/service.ts';
import { START_ANEW } from '../start-anew.ts';
import { openSqlite } from './sqlite.ts';

test('several processes may make the same new database at once', async () => {
  const folder = temporaryFolder();
  const servers = await Promise.all(Array.from({ length: 4 }, () => startServer(folder)));
  for (const { url } of servers) expect(await submit(url, 'one')).toBe(200);
  expect(storedTexts(join(folder, 'contact.db'))).toEqual(['one']);
});

test('once its file is moved, the server says so and ends, to be restarted, and nothing is lost', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder, { DATABASE_URL: `file:${join(folder, 'data/contact.db')}` });
  for (const text of ['one', 'two', 'three']) expect(await submit(server.url, text)).toBe(200);
  // Without its log
  mkdirSync(join(folder, 'away'));
  renameSync(join(folder, 'data/contact.db'), join(folder, 'away/contact.db'));
  expect(await server.exited).toBe(START_ANEW);
  expect(server.out()).toMatch(/the server stops, to be restarted .* stop the site and move it back/);
  expect(server.out()).toContain('VISITORS ARE TURNED AWAY');
  expect(storedTexts(join(folder, 'away/contact.db'))).toEqual(['one', 'two', 'three']);
});

test.skipIf(process.platform === 'win32')(
  'while its file can’t be read, the server takes no messages, and does again once it can',
  async () => {
    const folder = temporaryFolder();
    const data = join(folder, 'data');
    const leadTo = (target: string) => {
      symlinkSync(target, join(folder, 'new'));
      renameSync(join(folder, 'new'), data);
    };
    mkdirSync(join(folder, 'disk'));
    leadTo('disk');
    const server = await startServer(folder, { DATABASE_URL: `file:${data}/contact.db` });
    expect(await submit(server.url, 'one')).toBe(200);
    leadTo('data');
    await server.says(/the file of the database cannot be looked at/);
    expect(await submit(server.url, 'refused')).toBe(503);
    leadTo('disk');
    expect(await submit(server.url, 'two')).toBe(200);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(storedTexts(join(folder, 'disk/contact.db'))).toEqual(['one', 'two']);
  },
);

test('a damaged file is detected at the start, and no message is taken', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'contact.db');
  const { sqlite, close } = await openSqlite(file);
  sqlite.exec(
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) insert into last_done select 'what ' || i, i from n",
  );
  await close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, bytes.length - 4096));
  const server = await startServer(folder);
  expect((await fetch(server.url)).status).toBe(200);
  expect(await submit(server.url, 'refused')).toBe(503);
  await server.says(/VISITORS ARE TURNED AWAY.* is damaged/);
});
