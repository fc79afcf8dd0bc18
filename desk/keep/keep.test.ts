import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '../../server/messages/sqlite.ts';
import { rowAt } from '../../tests/support/database/message-rows.ts';
import { cookieFor, openDeskPage } from '../../tests/support/desk/open-desk-page.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { copyProject } from '../../tests/support/site/copy-project.ts';
import { unpack } from './archive.ts';

async function openKeep(settings: string) {
  const copy = copyProject();
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  await writeFile(join(copy, '.env'), settings);
  mkdirSync(join(copy, 'mine'));
  const desk = await openDeskPage(copy, {}, copy);
  onTestFinished(desk.close);
  const headers = { cookie: await cookieFor(desk.link), origin: desk.origin };
  const read = async (path = '') => (await fetch(`${desk.address}/keep${path}`, { headers })).text();
  return {
    copy,
    read,
    token: async () => /name="token" value="([^"]+)"/.exec(await read())?.[1] ?? '',
    post: (path: string, body: BodyInit, signal: AbortSignal | null = null) =>
      fetch(`${desk.address}/keep${path}`, { method: 'POST', headers, body, signal }),
  };
}

test('a backup that’s downloaded has messages, words and settings, and no password, device or link', async () => {
  const secret = 'SMTP_URL=smtps://ana:hunter2@smtp.example.com:465\nOTHERS_KEY=also-hunter2\n';
  const { copy, token, post } = await openKeep(`CONTACT_EMAIL=ana@example.org\n${secret}`);
  await writeFile(join(copy, 'mine/words.json'), '{"hero":{"headline":"Hers"}}');
  expect((await post('/backup', '')).status, 'without the page’s token').toBe(403);
  const answer = await post('/backup', new URLSearchParams({ token: await token() }));
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="backup-[\d-]+\.zip"$/);
  const folder = temporaryFolder();
  await writeFile(join(folder, 'it.zip'), Buffer.from(await answer.arrayBuffer()));
  const { names } = await unpack(join(folder, 'it.zip'), folder);
  expect(names.toSorted()).toEqual(['.env', 'messages.db', 'mine/words.json']);
  expect(await readFile(join(folder, '.env'), 'utf8')).toBe('CONTACT_EMAIL=ana@example.org\n');
  const database = new Sqlite(join(folder, 'messages.db'), { readonly: true });
  onTestFinished(() => void database.close());
  const tables = database.prepare(
    "select name from sqlite_schema where type = 'table' and name like 'desk_%'",
  );
  for (const name of tables.pluck().all())
    expect(database.prepare(`select count(*) from ${name}`).pluck().get()).toBe(0);
});

test('a backup counts once its download is whole, and leaves nothing beside the data', async () => {
  const { copy, read, token, post } = await openKeep('CONTACT_EMAIL=ana@example.org\n');
  // More than a connection holds: Linux may give its receiver 32 MB, and its sender 4.
  await writeFile(join(copy, 'mine/founder.jpg'), randomBytes(40e6));
  const body = new URLSearchParams({ token: await token() });
  const broken = new AbortController();
  const reader = (await post('/backup', body, broken.signal)).body?.getReader();
  await reader?.read();
  broken.abort();
  const left = () => readdirSync(copy).filter((name) => name.endsWith('.unfinished'));
  await expect.poll(left).toEqual([]);
  expect(await read()).toContain('you haven’t made a backup yet.');
  await (await post('/backup', body)).arrayBuffer();
  await expect.poll(() => read()).toContain('Last backup: today');
  await expect.poll(left).toEqual([]);
});

test('a backup that was downloaded is looked at, and brought back where nothing is; its settings change nothing', async () => {
  const from = await openKeep('CONTACT_EMAIL=ana@example.org\n');
  await writeFile(join(from.copy, 'mine/words.json'), '{"hero":{"headline":"Hers"}}');
  const { db } = await openSqlite(join(from.copy, 'contact.db'));
  onTestFinished(() => db.destroy());
  const row = rowAt(1, { state: 'sent', message: 'Kept' });
  await db.insertInto('contact_message').values(row).execute();
  const made = await from.post('/backup', new URLSearchParams({ token: await from.token() }));
  const upload = new FormData();
  upload.set('backup', await made.blob(), 'backup.zip');

  const settings = 'CONTACT_EMAIL=bo@example.org\n';
  const to = await openKeep(settings);
  const token = await to.token();
  const look = `/restore/look?token=${token}`;
  const nothing = new FormData();
  nothing.set('backup', new Blob(['Dear diary']), 'diary.zip');
  expect(await (await to.post(look, nothing)).text()).toContain('This file isn’t a backup');
  const looked = await (await to.post(look, upload)).text();
  for (const words of ['Bring all of this back?', '<dd>1</dd>', '<dd>1 file</dd>'])
    expect(looked).toContain(words);
  expect(readdirSync(join(to.copy, 'mine'))).toEqual([]);
  // One that was broken off brought the words, and goes on.
  const words = await readFile(join(from.copy, 'mine/words.json'));
  await writeFile(join(to.copy, 'mine/words.json'), words);
  expect(await to.read('/restore')).toContain('type="file"');
  const [, room = ''] = /name="room" value="([^"]+)"/.exec(looked) ?? [];
  const strange = new URLSearchParams({ token, room: `desk-/../${room}` });
  expect((await to.post('/restore', strange)).status).toBe(404);
  const brought = await to.post('/restore', new URLSearchParams({ token, room }));
  expect(await brought.text()).toContain('1 message, 1 file of your words and photo');
  const copy = new Sqlite(join(to.copy, 'contact.db'), { readonly: true });
  onTestFinished(() => void copy.close());
  expect(copy.prepare('select id, message from contact_message').all()).toEqual([
    { id: row.id, message: 'Kept' },
  ]);
  expect(await readFile(join(to.copy, 'mine/words.json'), 'utf8')).toContain('Hers');
  expect(await readFile(join(to.copy, '.env'), 'utf8')).toBe(settings);
  expect(readdirSync(to.copy).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  expect(await to.read('/restore')).toContain('This site has 1 message, and a backup never replaces');
  expect(await (await to.post(look, upload)).text()).toContain('already has 1 message');
});
