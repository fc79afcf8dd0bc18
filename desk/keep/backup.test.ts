import { copyFileSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { newDatabase, openAt } from '../../tests/support/database/new-database.ts';
import { openTestDesk, runDesk } from '../../tests/support/desk/desk-process.ts';
import { START, temporaryFolder } from '../../tests/support/service.ts';
import { pack } from './archive.ts';

test.each([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)('a backup of %s is restored exactly to %s, and only where nothing is', async (from, to) => {
  const { add, run, rows, folder, database } = await openTestDesk(from);
  await add({ name: 'Zoë 👩🏽‍🔧', message: 'One\n\n"two"', idempotency_key: 'k', answered_at: START });
  await add({ state: 'waiting', failures: 3, first_failure_at: START, last_error: 'retry smtp-451' });
  await add({ state: 'set_aside' });
  await add({ state: 'spam' });
  const backup = join(folder, 'backup.db');
  const made = await run(['backup', 'backup.db']);
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^Copied 4 messages to backup\.db/) });
  expect(await database.db.selectFrom('last_done').selectAll().execute()).toEqual([
    { what: 'backup', at: expect.closeTo(START, -5) },
  ]);

  const env = { DATABASE_URL: await newDatabase(to) };
  const packed = readFileSync(backup);
  const restored = await run(['restore', backup], { env });
  expect(restored).toMatchObject({ code: 0, err: '' });
  expect(restored.out).toMatch(/^Restored 4 messages\.\n1 message of them waited to be mailed/);
  const { db } = await openAt(env.DATABASE_URL);
  const all = await db.selectFrom('contact_message').selectAll().orderBy('id').execute();
  expect(all).toEqual(await rows());
  expect(readFileSync(backup).equals(packed), 'it stays as it was').toBe(true);
  expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.db']);

  const err = expect.stringContaining('already has 4 messages, and a backup can only go into an empty');
  expect(await run(['restore', backup], { env })).toEqual({ code: 1, out: '', err });
});

test('what isn’t a backup, a damaged one and one from a newer version are refused, and nothing is restored', async () => {
  const { add, run, folder } = await openTestDesk('sqlite');
  for (let index = 0; index < 40; index += 1) await add({ message: 'word '.repeat(300) });
  expect(await run(['backup', 'good.db'])).toMatchObject({ code: 0 });
  const path = (name: string) => join(folder, name);
  copyFileSync(path('good.db'), path('cut.db'));
  truncateSync(path('cut.db'), 20_000);
  copyFileSync(path('good.db'), path('newer.db'));
  const later = "insert into contact_migration (name) values ('9999-later')";
  new Sqlite(path('newer.db')).exec(later).close();

  const elsewhere = temporaryFolder();
  await pack(path('photos.zip'), Readable.from([new File(['sea'], 'holiday.jpg')]));
  for (const [name, words] of [
    ['photos.zip', /^photos\.zip isn’t a backup: it has no messages\.db in it/],
    ['cut.db', /damaged/],
    ['newer.db', /newer version/],
    ['nothing.db', /There is no file/],
  ] as const) {
    const { code, out, err } = await runDesk(elsewhere, ['restore', path(name)]);
    expect({ code, out }, name).toEqual({ code: 1, out: '' });
    expect(err).toMatch(words);
    expect(err).not.toContain('.unfinished');
  }
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('what a killed desk left beside a backup is removed a day later, and nothing else is', async () => {
  const { add, run, folder } = await openTestDesk('sqlite');
  await add();
  const left = 'desk-4711-monday.zip.unfinished';
  const others = ['desk-4712-now.zip.unfinished', 'my.unfinished', 'monday.zip'];
  for (const name of [left, ...others]) writeFileSync(join(folder, name), 'half of it');
  for (const name of ['my.unfinished', 'monday.zip', left]) utimesSync(join(folder, name), 0, 0);
  expect(await run(['backup', 'tuesday.db'])).toMatchObject({ code: 0 });
  const names = readdirSync(folder).filter((name) => !name.startsWith('contact.db'));
  expect(names.toSorted()).toEqual([...others, 'tuesday.db'].toSorted());
});

test('a database that was copied by hand is restored with the log beside it, and the copy stays as it was', async () => {
  const { add, file, folder } = await openTestDesk('sqlite');
  await add();
  const copy = join(folder, 'by-hand.db');
  for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
  expect(await runDesk(temporaryFolder(), ['restore', copy])).toMatchObject({ code: 0, err: '' });
  const names = readdirSync(folder).filter((name) => name.startsWith('by-hand'));
  expect(names).toEqual(['by-hand.db', 'by-hand.db-wal']);
});
