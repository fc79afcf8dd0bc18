import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { MessageRow } from '../tests/support/database/message-rows.ts';
import { ENGINES, onTerminal, openTestDesk } from '../tests/support/desk/desk-process.ts';
import { START } from '../tests/support/service/open-test-service.ts';

/** The message's mail file, named and written as the server does it. */
function writeMail(folder: string, { id, name, email, message, received_at }: MessageRow): void {
  const time = new Date(received_at).toISOString().replace(/[:.]/g, '-');
  mkdirSync(join(folder, 'mail'), { recursive: true });
  writeFileSync(
    join(folder, 'mail', `${time}-${id}.eml`),
    `From: site@example.com\r\nReply-To: ${name} <${email}>\r\n\r\n${message}\r\n`,
  );
}

describe.each(ENGINES)('on %s', (engine) => {
  test('a message is erased with its mail, while another program has the database open', async () => {
    const { add, run, rows, bytes, folder } = await openTestDesk(engine);
    const canary = await add({
      name: 'Canary Nameless',
      email: 'canary@bird.example',
      message: 'yellow feathers '.repeat(400),
    });
    const other = await add();
    for (const row of [canary, other]) writeMail(folder, row);
    if (engine === 'sqlite') expect(bytes()).toMatch(/Canary Nameless/);

    expect(await run(['erase', canary.id, '--yes'])).toEqual({
      code: 0,
      out:
        'Erased 1 message and 1 mail file.\n' +
        `What you still have to erase yourself: backups and exports${engine === 'postgres' ? ', the backups and logs of your database server' : ''}.\n`,
      err: '',
    });
    expect((await rows()).map(({ id }) => id)).toEqual([other.id]);
    expect(readdirSync(join(folder, 'mail'))).toEqual([expect.stringContaining(other.id)]);
    // This process still has the database, its WAL and its index open.
    expect(bytes()).not.toMatch(/Canary|bird\.example|feathers/);
    expect(bytes()).not.toContain(canary.id);
    expect(await run(['show', canary.id])).toMatchObject({ code: 1 });
  });

  test('all messages of an address are erased, however it is written, and no others', async () => {
    const { add, run, rows } = await openTestDesk(engine);
    await add({ email: 'Bo@example.org', state: 'set_aside' });
    await add({ email: 'bo@EXAMPLE.org', state: 'waiting', attempts: 0 });
    await add({ email: 'bo@xn--mnchen-3ya.example' });
    await add({ email: 'jimbo@example.org' });
    const first = await run(['erase', ' bO@example.org ', '--yes', '--json']);
    expect({ ...first, out: JSON.parse(first.out) }).toEqual({
      code: 0,
      out: { messages: 2, mailFiles: 0, beingMailed: 0, overwritten: true },
      err: '',
    });
    expect((await run(['erase', 'bo@münchen.example', '--yes'])).out).toMatch(/^Erased 1 message\.\n/);
    expect((await rows()).map(({ email }) => email)).toEqual(['jimbo@example.org']);
    expect(await run(['erase', 'bo@example.org', '--yes'])).toMatchObject({
      code: 0,
      out: 'There’s nothing to erase.\n',
    });
  });
});

onTerminal('erasing asks first, and takes only yes for an answer', async () => {
  const { add, run, runOnTerminal, rows } = await openTestDesk('sqlite');
  const { id } = await add({ name: 'Zoë' });
  // There's nobody to ask; a script that pipes something in doesn't count.
  for (const input of ['', 'y\n']) {
    const { code, out, err } = await run(['erase', id], { input });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('there’s no terminal here to ask for a yes. Add --yes if you mean it.');
  }
  for (const input of ['\n', 'n\n', 'yeah\n', '\u0003', '\u0004']) {
    const { code, screen } = await runOnTerminal(['erase', id], { input });
    expect(stripVTControlCharacters(screen)).toMatch(
      /00000001 {2}Zoë <ana@example\.org>, Sat, Nov 21, 2026, 6:00 a.m.\nErase 1 message for good\? \[y\/N\]/,
    );
    expect(screen).toContain('Nothing was changed.');
    expect(code).toBe(1);
  }
  expect(await rows()).toHaveLength(1);
  expect(await runOnTerminal(['erase', id], { input: 'Yes\n' })).toMatchObject({ code: 0 });
  expect(await rows()).toEqual([]);
});

test('what to erase must be said in one way', async () => {
  const { add, run, rows } = await openTestDesk('sqlite');
  const { id } = await add();
  const wrong = [[], [id, 'ana@example.org'], ['a@', id], ['@']];
  for (const args of wrong) {
    expect(await run(['erase', '--yes', ...args])).toMatchObject({ code: 2, out: '' });
  }
  expect(await rows()).toHaveLength(1);
});

test('a message that’s being mailed just now is named as such', async () => {
  const { add, run } = await openTestDesk('sqlite');
  const { id } = await add({ state: 'waiting', attempts: 1, next_attempt_at: START + 60_000 });
  expect((await run(['show', id])).out).toContain('on its way to you just now');
  expect(await run(['requeue', id])).toMatchObject({
    code: 1,
    err: 'The message of Ana Souza is on its way just now.\n',
  });
  expect((await run(['erase', id, '--yes'])).out).toContain(
    'The mail of 1 message was on its way just now and may still arrive.',
  );
});

test('a mail folder that cannot be read is named, and what was asked for is erased all the same', async () => {
  const { add, run, rows, bytes, folder } = await openTestDesk('sqlite');
  await add({ name: 'Canary' });
  symlinkSync('mail', join(folder, 'mail'));
  const { code, err } = await run(['erase', 'ana@example.org', '--yes']);
  expect(code).toBe(1);
  expect(err).toBe(
    `${join(folder, 'mail')} cannot be read or changed (ELOOP). Does this user have the right to?\n`,
  );
  expect(await rows()).toEqual([]);
  expect(bytes()).not.toContain('Canary');
});
