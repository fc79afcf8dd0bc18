import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { readSettings } from '../../settings/settings.ts';
import { insertRows, storedTexts } from '../../tests/support/database/message-rows.ts';
import { openFile } from '../../tests/support/database/new-database.ts';
import { cookieFor, openDeskInCopy } from '../../tests/support/desk/open-desk-page.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { temporaryFolder } from '../../tests/support/service.ts';
import { unpack } from './archive.ts';
import { makeDataRoom } from './output-file.ts';

async function openKeep(settings: string) {
  const { copy, link, origin, address } = await untilEnd(openDeskInCopy(settings));
  mkdirSync(join(copy, 'mine'));
  const headers = { cookie: await cookieFor(link), origin };
  const read = async (path = '') => (await fetch(`${address}/keep${path}`, { headers })).text();
  return {
    copy,
    read,
    token: async () => /name="token" value="([^"]+)"/.exec(await read())?.[1] ?? '',
    post: (path: string, body: BodyInit, signal: AbortSignal | null = null) =>
      fetch(`${address}/keep${path}`, { method: 'POST', headers, body, signal }),
    unfinished: () => readdirSync(copy).filter((name) => name.endsWith('.unfinished')),
  };
}

test('a backup counts once its download is whole, and leaves nothing beside the data', async () => {
  const { copy, read, token, post, unfinished } = await openKeep('CONTACT_EMAIL=ana@example.org\n');
  // More than a connection holds: Linux may give its receiver 32 MB, and its sender 4.
  await writeFile(join(copy, 'mine/founder.jpg'), randomBytes(40e6));
  const body = new URLSearchParams({ token: await token() });
  const broken = new AbortController();
  const reader = (await post('/backup', body, broken.signal)).body?.getReader();
  await reader?.read();
  broken.abort();
  await expect.poll(unfinished).toEqual([]);
  expect(await read()).toContain('no backup has been made here yet.');
  await (await post('/backup', body)).arrayBuffer();
  await expect.poll(() => read()).toContain('Last backup: today');
  await expect.poll(unfinished).toEqual([]);
});

test('its room is made even if nothing else has made the data folder', async () => {
  const mailDir = join(temporaryFolder(), 'data/mail');
  const settings = readSettings({ DATABASE_URL: 'postgres://host/site', MAIL_DIR: mailDir });
  await using room = await makeDataRoom(settings);
  expect(readdirSync(join(mailDir, '..'))).toEqual([basename(room.path)]);
});

test('a downloaded backup has messages, words and settings, but no password, device or link, and after a look at it, all but the settings is restored where there’s nothing yet', async () => {
  const secret = 'SMTP_URL=smtps://ana:hunter2@smtp.example.com:465\nOTHERS_KEY=also-hunter2\n';
  const from = await openKeep(`CONTACT_EMAIL=ana@example.org\n${secret}`);
  await writeFile(join(from.copy, 'mine/words.json'), '{"hero":{"headline":"Hers"}}');
  await writeFile(join(from.copy, 'mine/Zoë’s photo.jpg'), 'A photo');
  await insertRows(await openFile(join(from.copy, 'contact.db')), [{ state: 'sent', message: 'Kept' }]);
  expect((await from.post('/backup', '')).status, 'without the page’s token').toBe(403);
  const made = await from.post('/backup', new URLSearchParams({ token: await from.token() }));
  expect(made.headers.get('content-disposition')).toMatch(/^attachment; filename="backup-[\d-]+\.zip"$/);
  const zip = await made.blob();
  const folder = temporaryFolder();
  await writeFile(join(folder, 'it.zip'), zip.stream());
  const names = await unpack(join(folder, 'it.zip'), folder);
  expect(names.toSorted()).toEqual(['.env', 'messages.db', 'mine/Zoë’s photo.jpg', 'mine/words.json']);
  expect(await readFile(join(folder, '.env'), 'utf8')).toBe('CONTACT_EMAIL=ana@example.org\n');
  const packed = await untilEnd(new Sqlite(join(folder, 'messages.db')));
  const tables = packed.prepare("select name from sqlite_schema where type = 'table' and name like 'desk_%'");
  for (const name of tables.pluck().all())
    expect(packed.prepare(`select count(*) from ${name}`).pluck().get()).toBe(0);

  const settings = 'CONTACT_EMAIL=bo@example.org\n';
  const to = await openKeep(settings);
  const token = await to.token();
  const upload = (content: Blob) => {
    const form = new FormData();
    form.set('backup', content, 'backup.zip');
    return to.post(`/restore/look?token=${token}`, form);
  };
  const refused = await (await upload(new Blob(['Dear diary']))).text();
  expect(refused).toContain('This file isn’t a backup');
  expect(refused, 'she can choose another').toContain('<a href="/desk/keep/restore">Go back</a>');
  const looked = await (await upload(zip)).text();
  for (const words of ['Restore all of this?', '<dd>1</dd>', '<dd>2 files</dd>'])
    expect(looked).toContain(words);
  expect(readdirSync(join(to.copy, 'mine'))).toEqual([]);
  const [, room = ''] = /name="room" value="([^"]+)"/.exec(looked) ?? [];
  const strange = new URLSearchParams({ token, room: `desk-/../${room}` });
  expect((await to.post('/restore', strange)).status).toBe(404);
  const press = async () => (await to.post('/restore', new URLSearchParams({ token, room }))).text();
  for (const brought of [...(await Promise.all([press(), press()])), await press()])
    expect(brought).toContain('1 message, 2 files of your words and photo');
  expect(storedTexts(join(to.copy, 'contact.db'))).toEqual(['Kept']);
  expect(await readFile(join(to.copy, 'mine/Zoë’s photo.jpg'), 'utf8')).toBe('A photo');
  expect(await readFile(join(to.copy, '.env'), 'utf8')).toBe(settings);
  expect(to.unfinished()).toEqual([]);
  expect(await to.read('/restore')).toContain('This site has 1 message, and a backup never replaces');
  expect(await (await upload(zip)).text()).toContain('already has 1 message');
});
