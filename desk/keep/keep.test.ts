import { mkdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { cookieFor, openDeskPage } from '../../tests/support/desk/open-desk-page.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { copyProject } from '../../tests/support/site/copy-project.ts';
import { unpack } from './archive.ts';
import { mostBytes } from './format.ts';

test('a backup that’s downloaded has messages, words and settings, and no password, device or link', async () => {
  const copy = copyProject();
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  const secret = 'SMTP_URL=smtps://ana:hunter2@smtp.example.com:465\nOTHERS_KEY=also-hunter2\n';
  await writeFile(join(copy, '.env'), `CONTACT_EMAIL=ana@example.org\n${secret}`);
  mkdirSync(join(copy, 'mine'));
  await writeFile(join(copy, 'mine/words.json'), '{"hero":{"headline":"Hers"}}');
  const desk = await openDeskPage(copy, {}, copy);
  onTestFinished(desk.close);
  const headers = { cookie: await cookieFor(desk.link), origin: desk.origin };
  const page = await (await fetch(`${desk.address}/keep`, { headers })).text();
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page) ?? [];
  const post = (body: Record<string, string>) =>
    fetch(`${desk.address}/keep/backup`, { method: 'POST', headers, body: new URLSearchParams(body) });

  expect((await post({})).status, 'without the page’s token').toBe(403);
  const answer = await post({ token });
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="backup-[\d-]+\.zip"$/);
  const folder = temporaryFolder();
  await writeFile(join(folder, 'it.zip'), Buffer.from(await answer.arrayBuffer()));
  const names = await unpack(join(folder, 'it.zip'), folder, mostBytes);
  expect(names.toSorted()).toEqual(['.env', 'messages.db', 'mine/words.json']);
  expect(await readFile(join(folder, '.env'), 'utf8')).toBe('CONTACT_EMAIL=ana@example.org\n');
  const database = new Sqlite(join(folder, 'messages.db'), { readonly: true });
  onTestFinished(() => void database.close());
  const tables = database.prepare(
    "select name from sqlite_schema where type = 'table' and name like 'desk_%'",
  );
  for (const name of tables.pluck().all())
    expect(database.prepare(`select count(*) from ${name}`).pluck().get()).toBe(0);
  const again = await (await fetch(`${desk.address}/keep`, { headers })).text();
  expect(again).toContain('The last backup is from');
});
