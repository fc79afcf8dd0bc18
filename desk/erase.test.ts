import { describe, expect, test } from 'vitest';
import { eraseMessages } from '../server/messages/erase.ts';
import { readSettings } from '../settings/settings.ts';
import { ENGINES, openTestDesk } from '../tests/support/desk/desk-process.ts';
import { describeErased, findErasable } from './erase.ts';

describe.each(ENGINES)('on %s', (engine) => {
  test('all messages of an address are erased, however it is written, and no others', async () => {
    const { add, rows, database, folder } = await openTestDesk(engine);
    await add({ email: 'Bo@example.org', state: 'set_aside' });
    await add({ email: 'bo@EXAMPLE.org', state: 'waiting', attempts: 0 });
    await add({ email: 'bo@xn--mnchen-3ya.example' });
    const other = await add({ email: 'jimbo@example.org' });
    const erase = async (who: string) => {
      const { which, rows: shown } = await findErasable(database, who);
      const { messages } = await eraseMessages(database, which, { mailDir: folder, now: Date.now() });
      expect(messages, 'what was shown before').toBe(shown.length);
      return messages;
    };
    expect(await erase(' bO@example.org ')).toBe(2);
    expect(await erase('bo@münchen.example')).toBe(1);
    expect(await erase('bo@example.org')).toBe(0);
    expect((await rows()).map(({ email }) => email)).toEqual(['jimbo@example.org']);
    await expect(findErasable(database, 'jimbo@')).rejects.toThrow('Give a whole e-mail address.');
    await expect(findErasable(database, '%')).rejects.toThrow('No message has the ID %.');
    expect(await erase(other.id)).toBe(1);
  });
});

test('the owner reads what was erased, what remains, and what is hers to erase', () => {
  const folder = {
    mail: { via: 'folder', folder: 'mail' },
    database: { engine: 'sqlite', file: '' },
  } as const;
  const all = { messages: 1, mailFiles: 1, beingMailed: 0, overwritten: true };
  expect(describeErased(all, folder)).toEqual([
    'Erased 1 message and 1 mail file.',
    'What you still have to erase yourself: backups and exports.',
  ]);
  const { mail, database } = readSettings({ SMTP_URL: 'smtp://mail', DATABASE_URL: 'postgres://db/x' });
  const postgres = { mail, database };
  expect(describeErased({ messages: 2, mailFiles: 0, beingMailed: 1, overwritten: false }, postgres)).toEqual(
    [
      'Erased 2 messages.',
      'The mail of 1 message was on its way just now and may still arrive.',
      expect.stringContaining('until Postgres vacuums'),
      'What you still have to erase yourself: mails that were sent to you, backups and exports, the backups and logs of your database server.',
    ],
  );
});
