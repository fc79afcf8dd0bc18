import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { idOf } from '../../tests/support/database/message-rows.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import {
  MESSAGE,
  openTestService,
  SAID,
  START,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';
import { createLog } from '../log.ts';
import { composeNotification } from '../mail/mails.ts';
import { openMailer } from '../mail/transport.ts';
import { createOutbox } from '../outbox/loop.ts';
import { eraseMailFiles, eraseMessages } from './erase.ts';

const [ONE, OTHER] = [idOf(1), idOf(2)];

/** A mail folder with these files, named as the mailer names them, and what's left in it. */
function mailFolder(files: Record<string, string>) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, left: () => readdirSync(folder) };
}

test('of a mail folder, the mails of these messages go, and lists that may tell of them, and nothing else', async () => {
  const kept = [`1-${OTHER}.eml`, `1-${ONE}.eml.bak`, `${ONE}.txt`, '1-daily-1.eml.txt'];
  const { folder, left } = mailFolder(
    Object.fromEntries(
      [
        ...kept,
        `1-${ONE}.eml`,
        `2-reminder-${ONE}.eml`,
        `3-${ONE}.eml.unfinished`,
        `3-${ONE}.eml.4711.unfinished`,
        '4-daily-1795262400000.eml',
      ].map((name) => [name, '']),
    ),
  );
  expect(await eraseMailFiles(folder, new Set([ONE]))).toBe(5);
  expect(left()).toEqual(kept.toSorted());
});

test('a mail file that is written after its message was erased is erased as well', async () => {
  const { settings, database, folder } = await openTestService();
  const store = createStore(database);
  const mailDir = join(folder, 'data/mail');
  const mailer = openMailer(settings);
  const outbox = createOutbox({
    async deliver(message, signal) {
      await eraseMessages(database, { id: message.id }, { mailDir, now: START });
      await mailer.send(composeNotification(message, SAID, settings), signal);
      expect(readdirSync(mailDir)).toHaveLength(1);
      return null;
    },
    database,
    deliveredWith: 'delivered by a test',
    onErased: (id) => eraseMailFiles(mailDir, new Set([id])),
    log: createLog('silent'),
    mailPerHour: 10,
  });
  await store.add(MESSAGE, { now: START });
  expect(await outbox.runDue({ now: START })).toMatchObject({ sent: 1 });
  expect(readdirSync(mailDir)).toEqual([]);
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
