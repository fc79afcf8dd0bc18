import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { idOf } from '../../tests/support/database/message-rows.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import {
  clockAt,
  MESSAGE,
  openTestService,
  START,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';
import { randomFrom } from '../../tests/support/service/random.ts';
import { machineClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { openMailer } from '../mail/mailer.ts';
import { composeNotification } from '../mail/notification.ts';
import { createOutbox } from '../outbox/outbox.ts';
import type { Database } from './database.ts';
import { eraseMailFiles, eraseMessages } from './erase.ts';
import { openSqlite } from './open.ts';
import { openPostgres } from './postgres/postgres.ts';
import { setSeen } from './states.ts';
import { createStore } from './store.ts';
import { sync } from './sync.ts';

vi.mock('./sync.ts', { spy: true });

const [ONE, OTHER] = [idOf(1), idOf(2)];

/** A mail folder with these files, named as the mailer names them, and what's left in it. */
function mailFolder(files: Record<string, string>) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, left: () => readdirSync(folder) };
}

test('of a mail folder, the mails of these messages go, and lists that may tell of them, and nothing else', async () => {
  const kept = [`1-${OTHER}.eml`, `1-${ONE}.eml.bak`, `${ONE}.txt`, '1-held-1.eml.txt'];
  const { folder, left } = mailFolder(
    Object.fromEntries(
      [
        ...kept,
        `1-${ONE}.eml`,
        `2-reminder-${ONE}.eml`,
        `3-${ONE}.eml.unfinished`,
        `3-${ONE}.eml.4711.unfinished`,
        '4-held-1795262400000.eml',
      ].map((name) => [name, '']),
    ),
  );
  expect(await eraseMailFiles(folder, new Set())).toBe(0);
  expect(left()).toHaveLength(9);
  expect(await eraseMailFiles(folder, new Set([ONE]))).toBe(5);
  expect(left()).toEqual(kept.toSorted());
});

test.each([
  ['Reply-To: Ana Souza <ana@example.org>\r\nSubject: Hi\r\n\r\nHi', true],
  ['reply-to: ana@example.org \n\nHi', true],
  ['Reply-To: Ana\n\t\t<ANA@example.org>\n\nHi', true],
  ['Reply-To: "Ana\n\tSouza"\n <ana@example.org>', true],
  ['In-Reply-To: <ana@example.org>\n\nHi', false],
  ['Reply-To: joana@example.org\n\nHi', false],
  ['Subject: Hi\n\nReply-To: ana@example.org', false],
  ['Subject: Hi\r\n\r\nReply-To: ana@example.org', false],
])('that %j goes with all of ana@example.org is %s', async (text, goes) => {
  const { folder, left } = mailFolder({ [`1-${ONE}.eml`]: text, '2-held-1.eml': '' });
  // Gone by the time that it's read.
  symlinkSync('nowhere', join(folder, `3-${OTHER}.eml`));
  expect(await eraseMailFiles(folder, new Set(), 'Ana@example.org')).toBe(goes ? 2 : 1);
  expect(left()).toEqual([...(goes ? [] : [`1-${ONE}.eml`]), `3-${OTHER}.eml`]);
});

test('a mail folder that is not there has no mails, and one that cannot be read stops everything', async () => {
  const { folder } = mailFolder({ file: '' });
  expect(await eraseMailFiles(join(folder, 'absent'), new Set([ONE]))).toBe(0);
  await expect(eraseMailFiles(join(folder, 'file'), new Set([ONE]))).rejects.toThrow('ENOTDIR');
});

function bytesOf(file: string): string {
  return ['', '-wal', '-shm'].map((end) => readFileSync(file + end).toString('latin1')).join('');
}

test('of the words that were erased no byte is left, also where SQLite had moved its rows about', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'contact.db');
  const database = await openSqlite(file);
  onTestFinished(() => database.close());
  // Left open, as on the running server.
  const server = new Sqlite(file);
  onTestFinished(() => void server.close());
  // Only some orders of events leave a copy behind in SQLite's pages; these do.
  const random = randomFrom(6);
  const insert = server.prepare(
    `insert into contact_message (id, seen_at, name, email, message, state, attempts, next_attempt_at,
      received_at, message_id, content_hash) values (?, ?, ?, ?, ?, 'sent', 0, 0, 0, ?, ?)`,
  );
  const grow = server.prepare('update contact_message set last_error = ? where id = ?');
  const drop = server.prepare('delete from contact_message where id = ?');
  const hash = () => Array.from({ length: 8 }, () => Math.floor(random() * 2 ** 32).toString(36)).join('');
  server.pragma('secure_delete = ON');
  server.exec('begin');
  for (let index = 0; index < 300; index += 1) {
    const name = `Canary${index}x`;
    const received = Math.floor(random() * 2);
    const message = `${name} `.repeat(Math.ceil(random() ** 3 * 300));
    insert.run(
      idOf(index),
      received,
      name,
      `${name}@example.org`,
      message,
      `<${idOf(index)}@example.com>`,
      hash(),
    );
    if (random() < 0.4) grow.run('x'.repeat(Math.floor(random() * 300)), idOf(Math.floor(random() * index)));
    if (random() < 0.2) drop.run(idOf(Math.floor(random() * index)));
  }
  server.exec('commit');
  const names = (received: number) =>
    server
      .prepare<[number], string>('select name from contact_message where seen_at = ?')
      .pluck()
      .all(received);
  const old = names(0);
  const young = names(1);
  expect(old.filter((name) => !bytesOf(file).includes(name))).toEqual([]);

  const erased = await eraseMessages(database, { seenBefore: 1 }, { mailDir: folder, now: START });
  expect(erased).toEqual({ messages: old.length, mailFiles: 0, beingMailed: 0, overwritten: true });
  const bytes = bytesOf(file);
  expect(old.filter((name) => bytes.includes(name))).toEqual([]);
  expect(young.filter((name) => !bytes.includes(name))).toEqual([]);
});

test('while another program reads an older state, that is said, and its traces go with the last program', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'contact.db');
  const database = await openSqlite(file, { ...machineClock, wait: async () => undefined });
  const store = createStore(database, { mailDomain: 'example.com' });
  await store.add({ ...MESSAGE, name: 'Canary' }, { now: START });
  const reader = new Sqlite(file);
  reader.exec('begin');
  expect(reader.prepare('select count(*) from contact_message').pluck().get()).toBe(1);

  const which = { email: MESSAGE.email.toUpperCase() };
  const erased = await eraseMessages(database, which, { mailDir: folder, now: START });
  expect(erased).toMatchObject({ messages: 1, overwritten: false });
  expect(bytesOf(file)).toContain('Canary');
  reader.close();
  await database.close();
  expect(readdirSync(folder)).toEqual(['contact.db']);
  expect(readFileSync(file).toString('latin1')).not.toContain('Canary');
});

test('a server waits for no long time, and another program may write, while the oldest of many are erased', async () => {
  const database = await openSqlite(join(temporaryFolder(), 'contact.db'));
  onTestFinished(() => database.close());
  const other = new Sqlite(database.sqlite.name, { timeout: 0 });
  onTestFinished(() => void other.close());
  database.sqlite.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 400)
    insert into contact_message (id, received_at, seen_at, name, email, message, state, next_attempt_at, message_id, content_hash)
    select i, 0, i, 'Canary', 'ana@example.org', 'x', 'sent', 0, i, i from n`);
  let written = 0;
  const groupCommit: typeof database.groupCommit = (change) => {
    written += other.prepare('update last_done set at = 0').run().changes + 1;
    return database.groupCommit(() => {
      const before = database.sqlite.prepare('select total_changes()').pluck().get() as number;
      const result = change();
      expect(
        (database.sqlite.prepare('select total_changes()').pluck().get() as number) - before,
      ).toBeLessThan(201);
      return result;
    });
  };
  const erased = await eraseMessages(
    { ...database, groupCommit },
    { seenBefore: 200 },
    { mailDir: '', now: START },
  );
  expect(erased).toMatchObject({ messages: 199, overwritten: true });
  expect(written).toBeGreaterThan(2);
});

test('on a full disk the log makes room, or the owner reads what to do, and nothing is half erased', async () => {
  const { database } = await openTestService();
  const store = createStore(database, { mailDomain: 'example.com' });
  await store.add(MESSAGE, { now: START });
  let room = false;
  const write: typeof database.write = (query, options) =>
    room
      ? database.write(query, options)
      : Promise.reject(Object.assign(new Error('full'), { code: 'SQLITE_FULL' }));
  const erase = (full: Database) =>
    eraseMessages(full, { email: MESSAGE.email }, { mailDir: '', now: START });
  await expect(erase({ ...database, write })).rejects.toThrow('since the disk is full');
  expect(await store.counts()).toMatchObject({ waiting: 1 });
  const { clock } = database;
  vi.mocked(sync).mockImplementation(() => {
    room = true;
  });
  onTestFinished(() => void vi.mocked(sync).mockRestore());
  expect(await erase({ ...database, write, clock })).toMatchObject({ messages: 1 });
});

test('on Postgres, a vacuum follows, and that it was broken off is said', async () => {
  const url = await newPostgresDatabase();
  const database = await openPostgres(url);
  onTestFinished(() => database.close());
  const store = createStore(database, { mailDomain: 'example.com' });
  const mailDir = temporaryFolder();
  const erase = async () => {
    await store.add(MESSAGE, { now: START });
    return eraseMessages(database, { email: MESSAGE.email }, { mailDir, now: START });
  };
  expect(await erase()).toMatchObject({ messages: 1, overwritten: true });
  // Of an empty table, it leaves nothing.
  const size = "select pg_relation_size('contact_message')::int as bytes";
  expect(await runSql(url, size)).toEqual([{ bytes: 0 }]);
  const patience = await database.pool.query('show statement_timeout');
  expect(patience.rows).not.toEqual([{ statement_timeout: '10min' }]);

  const holder = await database.pool.connect();
  onTestFinished(() => holder.release(true));
  await holder.query('begin; lock table contact_message in share update exclusive mode');
  const erasing = erase();
  const cancel = `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and query = 'vacuum contact_message' and wait_event_type = 'Lock'`;
  await expect.poll(() => runSql(url, cancel)).toHaveLength(1);
  expect(await erasing).toMatchObject({ messages: 1, overwritten: false });
});

test('a purge leaves a message that is put back in the queue while it looks', async () => {
  const { store, database, folder } = await openTestService();
  await store.add(MESSAGE, { now: START - 2, heldFor: ['trap'] });
  await setSeen(database, { since: 0, now: START - 1 });
  const back = database.db.updateTable('contact_message').set({ state: 'waiting' });
  const purging: typeof database = {
    ...database,
    async write(query, options) {
      await back.execute();
      return database.write(query, options);
    },
  };
  const which = { seenBefore: START };
  const erased = await eraseMessages(purging, which, { mailDir: join(folder, 'data/mail'), now: START });
  expect(erased).toMatchObject({ messages: 0 });
  expect(await store.counts()).toMatchObject({ waiting: 1 });
});

test('mails whose message is gone are found by the address that their answer goes to, and no others', async () => {
  const { store, database, outbox, folder } = await openTestService();
  const mailDir = join(folder, 'data/mail');
  // A name long enough to fold the header.
  for (const email of ['ana@example.org', 'Ana@Example.org', 'joana@example.org', 'ana@example.org.uk'])
    await store.add({ ...MESSAGE, name: `Ana ${'ü'.repeat(150)}`, email }, { now: START });
  await outbox.runDue({ now: START });
  await database.db.deleteFrom('contact_message').execute();
  writeFileSync(join(mailDir, 'notes.txt'), 'Reply-To: ana@example.org\n\n');
  expect(await eraseMessages(database, { email: 'ana@example.org' }, { mailDir, now: START })).toMatchObject({
    messages: 0,
    mailFiles: 2,
  });
  const left = readdirSync(mailDir).filter((name) => name.endsWith('.eml'));
  expect(left).toHaveLength(2);
  for (const name of left)
    expect(readFileSync(join(mailDir, name), 'latin1')).toMatch(/<joana@example\.org>|ana@example\.org\.uk/);
  expect(readdirSync(mailDir)).toContain('notes.txt');
});

test('a power failure brings nothing back that was erased', async () => {
  const { store, database, databaseFile, outbox, settings } = await openTestService();
  const { id } = await store.add(MESSAGE, { now: START });
  await outbox.runDue({ now: START });
  vi.mocked(sync).mockClear();
  await eraseMessages(database, { id }, { mailDir: settings.mailDir, now: START });
  expect(vi.mocked(sync).mock.calls.flat()).toEqual([`${databaseFile}-wal`, settings.mailDir]);
  vi.mocked(sync).mockClear();
  // There's nothing to bring to the disk.
  await eraseMessages(database, { id }, { mailDir: settings.mailDir, now: START });
  expect(vi.mocked(sync).mock.calls).toEqual([]);
});

test('a message that is erased while its mail is in hand stays erased, and the log says what happened', async () => {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const { store, database, outbox, folder, lines } = await openTestService({ SMTP_URL: mail.url });
  await store.add(MESSAGE, { now: START });
  mail.hangAtContent();
  const run = outbox.runDue({ now: START });
  await expect.poll(() => mail.holding()).toBe(1);
  const erased = await eraseMessages(database, { email: MESSAGE.email }, { mailDir: folder, now: START });
  mail.acceptAll();
  expect(erased).toMatchObject({ messages: 1, beingMailed: 1 });
  expect(await run).toMatchObject({ sent: 1 });
  expect(mail.received).toHaveLength(1);
  expect(await database.db.selectFrom('contact_message').selectAll().execute()).toEqual([]);
  expect(lines.join('')).toContain('mail sent, but its message was erased meanwhile');
  expect(lines.join('')).not.toMatch(/"level":50/);
});

test('a mail file that is written after its message was erased is erased as well', async () => {
  const { settings, database, folder } = await openTestService();
  const store = createStore(database, { mailDomain: 'example.com' });
  const mailDir = join(folder, 'data/mail');
  const mailer = openMailer(settings.mail);
  const outbox = createOutbox({
    store,
    async deliver(message, signal) {
      await eraseMessages(database, { id: message.id }, { mailDir, now: START });
      await mailer.send(composeNotification(message, settings), signal);
      expect(readdirSync(mailDir)).toHaveLength(1);
    },
    onErased: (id) => eraseMailFiles(mailDir, new Set([id])),
    log: createLog('silent'),
    clock: clockAt(() => START),
    mailPerHour: 10,
  });
  await store.add(MESSAGE, { now: START });
  expect(await outbox.runDue({ now: START })).toMatchObject({ sent: 1 });
  expect(readdirSync(mailDir)).toEqual([]);
});
