import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { idOf, openWith } from '../../tests/support/database/message-rows.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { MESSAGE, openTestService, START, temporaryFolder } from '../../tests/support/service.ts';
import { sync } from '../files.ts';
import { eraseMailFiles, eraseMessages } from './erase.ts';
import { isAny, isFrom, isOld, isOne } from './table.ts';

vi.mock('../files.ts', { spy: true });
vi.mock('node:timers/promises', { spy: true });

const [ONE, OTHER] = [idOf(1), idOf(2)];

function bytesOf(file: string): string {
  return ['', '-wal', '-shm'].map((end) => readFileSync(file + end).toString('latin1')).join('');
}

test('the words that were erased are overwritten in the file and its log, a few messages at a time, and no other row is touched', async () => {
  const rows = Array.from({ length: 200 }, (_, at) => {
    const name = at % 2 ? 'Sparrow' : 'Canary';
    const message = `${name}${at}x `.repeat(1 + ((at * 37) % 90));
    return { name, email: `${name}@example.org`, message };
  });
  const database = await openWith(rows);
  const { location: file } = database;
  // Left open, as on the running server.
  const server = await untilEnd(new Sqlite(file));
  const others = () => server.prepare("select rowid, * from contact_message where name = 'Sparrow'").all();
  const before = others();
  vi.mocked(wait).mockClear();
  const { write } = database;
  const written = vi.spyOn(database, 'write').mockImplementation((...changes) => {
    // Other writers get a turn.
    server.exec('update last_done set at = 0');
    return write(...changes);
  });
  const which = isFrom('canary@example.org');
  const erased = await eraseMessages(database, which, dirname(file));
  expect(erased).toEqual({ messages: 100, overwritten: true });
  const steps = written.mock.calls.length;
  expect(steps).toBeGreaterThan(1);
  expect(wait, 'after each, visitors get their turn').toHaveBeenCalledTimes(steps);
  expect(bytesOf(file)).not.toMatch(/canary/i);
  expect(others()).toEqual(before);
});

test('if the server dies in the middle, what’s gone has left no mail', async () => {
  const database = await openWith(Array.from({ length: 30 }, () => ({ email: 'canary@example.org' })));
  const mailDir = temporaryFolder();
  for (let at = 0; at < 30; at += 1) writeFileSync(join(mailDir, `2026-11-21-${idOf(at)}.eml`), '');
  const { write } = database;
  vi.spyOn(database, 'write').mockImplementationOnce(write).mockRejectedValue(new Error('killed'));
  const erasing = eraseMessages(database, isFrom('canary@example.org'), mailDir);
  await expect(erasing).rejects.toThrow('killed');
  const left = await database.db.selectFrom('contact_message').select('id').execute();
  expect(left).toHaveLength(5);
  const mails = readdirSync(mailDir);
  expect(mails.filter((mail) => !left.some(({ id }) => mail.includes(id)))).toEqual([]);
});

test('a mail that becomes a file while its message is erased goes, too', async () => {
  const database = await openWith([{}]);
  const mailDir = temporaryFolder();
  vi.mocked(wait).mockImplementationOnce(async () => writeFileSync(join(mailDir, `1-${idOf(0)}.eml`), ''));
  await eraseMessages(database, isAny, mailDir);
  expect(readdirSync(mailDir)).toEqual([]);
});

test('while another program reads an older state, the result says that traces remain, and they go with the last program', async () => {
  vi.mocked(wait).mockResolvedValue(undefined);
  const database = await openWith([{ name: 'Canary' }]);
  const { location: file } = database;
  const reader = new Sqlite(file);
  reader.exec('begin; select * from contact_message');
  const erased = await eraseMessages(database, isOne(idOf(0)), dirname(file));
  expect(erased).toMatchObject({ messages: 1, overwritten: false });
  expect(bytesOf(file)).toContain('Canary');
  reader.close();
  await database.close();
  expect(readdirSync(dirname(file))).toEqual(['contact.db']);
  expect(readFileSync(file, 'latin1')).not.toContain('Canary');
});

test('a purge leaves alone a message that’s requeued while it looks', async () => {
  const database = await openWith([{ state: 'spam', seen_at: START - 1, opened_at: START - 1 }]);
  const back = database.db.updateTable('contact_message').set({ state: 'waiting' });
  const { write } = database;
  vi.spyOn(database, 'write').mockImplementation(async (...changes) => {
    await back.execute();
    return write(...changes);
  });
  expect(await eraseMessages(database, isOld(START), '')).toMatchObject({ messages: 0 });
  const left = await database.db.selectFrom('contact_message').select('state').execute();
  expect(left).toEqual([{ state: 'waiting' }]);
});

test('a power failure brings nothing back that was erased', async () => {
  const { store, database, databaseFile, outbox, settings } = await openTestService();
  const { id } = await store.add(MESSAGE, { now: START });
  await outbox.runDue();
  vi.mocked(sync).mockClear();
  await eraseMessages(database, isOne(id), settings.mailDir);
  const synced = vi.mocked(sync).mock.calls.flat();
  expect(new Set(synced)).toEqual(new Set([settings.mailDir, `${databaseFile}-wal`]));
});

test('from a mail folder, these messages’ mails go, and lists that may name them, and nothing else', async () => {
  const folder = temporaryFolder();
  const kept = [`1-${OTHER}.eml`, `1-${ONE}.eml.bak`, `${ONE}.txt`, '1-daily-1.eml.txt'];
  const gone = [
    `1-${ONE}.eml`,
    `2-reminder-${ONE}.eml`,
    `3-${ONE}.eml.4711.unfinished`,
    '4-daily-0123456789abcdef.eml',
    `5-${ONE}.plain.eml`,
  ];
  // Named as the mailer names them.
  for (const name of [...kept, ...gone]) writeFileSync(join(folder, name), '');
  await eraseMailFiles(folder, new Set([ONE]));
  expect(readdirSync(folder)).toEqual(kept.toSorted());
});

test('if the mail folder can’t be read, the result says that the messages are erased and copies may remain', async () => {
  const database = await openWith([{}]);
  await expect(eraseMessages(database, isAny, database.location)).rejects.toThrow(
    /^1 message is erased, but .*contact\.db \(ENOTDIR\)/,
  );
  expect(await database.db.selectFrom('contact_message').selectAll().execute()).toEqual([]);
});
