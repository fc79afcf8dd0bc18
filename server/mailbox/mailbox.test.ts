import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailbox as mailboxCheck } from '../../desk/doctor/mailbox.ts';
import { figure, inLongRun } from '../../tests/long.ts';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { linesOf } from '../../tests/support/desk/run-check.ts';
import { type Dovecot, dovecotHere, startDovecot } from '../../tests/support/mail/dovecot.ts';
import { openWithMailbox, replyTo, startOddServer } from '../../tests/support/mail/mailbox-service.ts';
import { startWebhookServer } from '../../tests/support/network/webhook-server.ts';
import { openTestService, START } from '../../tests/support/service/open-test-service.ts';
import { countAstray } from '../messages/mail-places.ts';

const MINUTE = 60_000;
const program = dovecotHere();
const withDovecot = test.skipIf(program === undefined);

let dovecot: Dovecot;
beforeAll(async () => {
  if (program !== undefined) dovecot = await startDovecot(program);
});
afterAll(() => dovecot?.close());

/**
 * Steps, one after the other. `come A`: a message is mailed to the owner, into that folder; `copy A`: its mail comes
 * there as well; `quote A`: a mail that quotes its Message-ID; `stray A`: another mail; `drift A B`: moved unread;
 * `clone A B`: copied, and marked as deleted; `at 5`: the site looks five minutes after the start.
 */
const STORIES: Record<string, string> = {
  'a mail is moved to Junk and back, and thrown away':
    'come INBOX; is null, delivered; at 1; is inbox, delivered; move INBOX Junk; at 2; is moved, spam; move Junk INBOX; at 3; is inbox, delivered; delete INBOX; at 4; at 60; is inbox, delivered',
  'a mail comes in Junk': 'come Junk; at 1; is junk, delivered; move Junk INBOX; at 31; is inbox, delivered',
  'a filter may have moved a mail, since nobody has read it':
    'come INBOX; at 1; drift INBOX Junk; at 2; is junk, spam; move Junk INBOX; at 3; is inbox, delivered',
  'a mail is nowhere after five minutes, and comes after all':
    'stray INBOX; come nowhere; at 4.9; is null, delivered; at 5; is nowhere, delivered; copy INBOX; at 40; is inbox, delivered',
  'a mail is removed before anybody looked, and not called lost':
    'come INBOX; delete INBOX; at 1; at 5; at 7; is null, delivered',
  'a mail is removed from Junk before anybody looked':
    'come Junk; delete Junk; at 1; at 5; is null, delivered',
  'a mail is lost after another was removed':
    'stray INBOX; delete INBOX; at 1; come nowhere; at 6; is nowhere, delivered',
  'a mail was removed under a clock that was ten hours ahead, and another is lost':
    'stray INBOX; delete INBOX; at 600; at 1; come nowhere; at 6; is nowhere, delivered',
  'a mail that may be gone is found in another folder':
    'come INBOX; move INBOX Clients; at 1; at 5; is elsewhere, delivered',
  'a rule of hers files a mail, and she moves it on to Junk':
    'come Clients; at 5; is elsewhere, delivered; move Clients Junk; at 6; is moved, spam',
  'a mail that quotes another is not that one': 'come nowhere; quote Trash; at 5; is nowhere, delivered',
  'a rule of hers files a mail late':
    'come nowhere; at 5; at 7; is nowhere, delivered; copy Clients; at 30; is elsewhere, delivered',
  'a mail comes twice, to the inbox and to Junk, and nobody moved it':
    'come INBOX; at 1; copy Junk; at 2; is inbox, delivered; delete Junk; move INBOX Junk; at 3; is moved, spam; copy INBOX; at 4; is moved, spam',
  // A folder that's new is only read while a mail is expected.
  'Junk is built anew with what lay in it':
    'come INBOX; at 1; copy Junk; at 2; move INBOX Trash; rebuild Junk; copy Junk; another INBOX; at 3; is inbox, delivered; move Junk INBOX; at 4; move INBOX Junk; at 5; is moved, spam',
  'a mail program moves by copying': 'come INBOX; at 1; clone INBOX Junk; at 2; is junk, spam',
  'nobody could look for a mail within the hour': 'come nowhere; at 61; is null, delivered',
};

async function play(story: string, env: Record<string, string> = {}) {
  const site = await openWithMailbox(dovecot, env);
  const { owner, look, write, place, move } = site;
  await owner.mailboxCreate('Clients');
  let mail = { id: '', raw: '' };
  const inFolder = async (folder: string, act: () => Promise<unknown>) => {
    await owner.mailboxOpen(folder);
    await act();
    await owner.mailboxClose();
  };
  const deeds: Record<string, (first: string, second: string) => Promise<unknown>> = {
    async come(folder) {
      mail = await write(folder === 'nowhere' ? undefined : folder);
    },
    another: (folder) => write(folder, 'Another'),
    copy: (folder) => owner.append(folder, mail.raw),
    quote: (folder) => owner.append(folder, mail.raw.replace(/^Message-ID: <(.*)>/m, 'Message-ID: <x-$1>')),
    stray: (folder) =>
      owner.append(folder, 'Message-ID: <01a1fc24-7b5e-7429-abc4-659443c39f9d@example.com>\r\n\r\nAnother'),
    move: (from, to) => move(from, to, { read: true }),
    drift: (from, to) => move(from, to),
    delete: (folder) => inFolder(folder, () => owner.messageDelete('1:*')),
    async rebuild(folder) {
      await owner.mailboxDelete(folder);
      await owner.mailboxCreate(folder);
    },
    async clone(from, to) {
      await owner.mailboxOpen(from);
      await owner.messageCopy('1:*', to);
      // Left open: closing it would remove what's marked.
      await owner.messageFlagsAdd('1:*', ['\\Deleted']);
    },
    at: (minutes) => look(Number(minutes)),
  };
  for (const [index, step] of story.split('; ').entries()) {
    const [deed = '', first = '', second = ''] = step.split(' ');
    if (deed === 'is') expect(`is ${await place(mail.id)}`, `step ${index + 1}`).toBe(step);
    else await deeds[deed]?.(first, second);
  }
  return site;
}

withDovecot.each(Object.entries(STORIES))('%s', async (_, story) => {
  await play(story);
});

withDovecot('looking changes nothing in the mailbox, and notes what is nowhere once', async () => {
  const { owner, lines } = await play('stray INBOX; come nowhere; at 5; at 7');
  await owner.mailboxOpen('INBOX');
  const [stray] = await owner.fetchAll('1:*', { flags: true });
  expect([...(stray?.flags ?? [])].filter((flag) => flag !== '\\Recent')).toEqual([]);
  expect(lines.filter((line) => line.includes('"placed":1'))).toHaveLength(1);
});

withDovecot.each(['are nowhere', 'may be gone'])(
  'one lost mail is looked for first, however many others %s',
  async (others) => {
    const { owner, look, write, place, clock } = await openWithMailbox(dovecot);
    if (others === 'may be gone') await owner.append('INBOX', 'Subject: x\r\n\r\nx');
    for (let count = 0; count < 20; count += 1) await write(undefined, String(count));
    if (others === 'may be gone') {
      await owner.mailboxOpen('INBOX');
      await owner.messageDelete('1:*');
    }
    await look(5);
    clock.now = START + 6 * MINUTE;
    const { id } = await write(undefined, 'Lost');
    await look(11);
    expect(await place(id)).toBe('nowhere, delivered');
  },
);

withDovecot('a mail in Junk is reported by webhook, until it is out of there', async () => {
  const { posted, host } = await startWebhookServer();
  const env = { ALERT_WEBHOOK_URL: `http://${host}/`, TIME_ZONE: 'UTC' };
  const { trouble, clock, database, lines, move, look } = await play('come Junk; at 1', env);
  for (const minute of [1, 2, 30]) await trouble.check(START + minute * MINUTE);
  const told = posted.map(({ body }) => body);
  const words = '1 mail went to your Junk folder';
  expect(told).toEqual([expect.stringContaining(words)]);
  await move('Junk', 'INBOX');
  await look(31);
  expect(await countAstray(database, clock.now)).toEqual({ inJunk: 0, nowhere: 0 });
  expect(lines.join('') + told).not.toMatch(/Ana|ana@|Hello|hunter2/);
});

withDovecot('an answer is noted as soon as the server tells of it', async () => {
  const { look, write, owner, answeredAt } = await openWithMailbox(dovecot);
  const { id, raw } = await write('INBOX');
  await look(1);
  const from = performance.now();
  await owner.append('Sent', replyTo(raw));
  await expect.poll(() => answeredAt(id)).not.toBeNull();
  figure(`an answer is noted ${Math.round(performance.now() - from)} ms after it was put in Sent`);
});

withDovecot(
  'folders keep their use when they are renamed, and get one by a name in any language',
  async () => {
    const { look, write, place, owner, answeredAt } = await openWithMailbox(dovecot);
    const first = await write('Junk');
    await look(1);
    expect(await place(first.id)).toBe('junk, delivered');
    await owner.mailboxRename('Junk', 'Correo no deseado');
    await owner.mailboxRename('Sent', 'Отправленные');
    const second = await write('Correo no deseado', 'Again');
    await owner.append('Отправленные', replyTo(second.raw), [], new Date(START + 2 * MINUTE));
    await look(2);
    expect(await place(second.id)).toBe('junk, delivered');
    expect(await answeredAt(second.id)).toBe(START + 2 * MINUTE);
  },
);

withDovecot('of several servers on one Postgres one watches, and another once that one is gone', async () => {
  const env = { DATABASE_URL: await newPostgresDatabase() };
  const first = await openWithMailbox(dovecot, env);
  const same = { ...env, IMAP_URL: dovecot.url(first.user), SMTP_URL: first.mail.url };
  const others = await Promise.all([1, 2].map(() => openTestService(same)));
  const isOpen = ({ lines }: { lines: string[] }) => lines.some((line) => line.includes('mailbox is open'));
  const check = async (now: number) => {
    for (const { mailbox, clock } of others) {
      clock.now = now;
      await mailbox?.check(now);
    }
  };
  for (const seconds of [0, 20, 40]) {
    await check(START + seconds * 1000);
    await first.mailbox.check(START + seconds * 1000);
  }
  expect(others.map(isOpen)).toEqual([false, false]);
  const { id } = await first.write('INBOX');
  // From here on the first one is as good as killed: it says nothing more.
  for (const seconds of [60, 80]) await check(START + seconds * 1000);
  expect(others.map(isOpen)).toEqual([false, false]);
  await check(START + 100_000);
  expect(others.map(isOpen)).toEqual([true, false]);
  expect(await first.place(id)).toBe('inbox, delivered');
  // Should it come back, it leaves the mailbox to the one that watches now.
  await first.mailbox.check(START + 101_000);
  expect(first.lines.join('')).toContain('another server watches the mailbox');
  // One that stops says so, and nobody has to wait.
  await others[0]?.mailbox?.stop();
  await check(START + 102_000);
  expect(others.map(isOpen)).toEqual([true, true]);
});

withDovecot('in a mailbox of many years, only what is new is read', async () => {
  const count = inLongRun(100_000, 500);
  const user = 'many';
  dovecot.fill(user, count);
  let fetched = 0;
  const odd = await startOddServer(dovecot, (said) => {
    fetched += said.match(/^\* \d+ FETCH /gm)?.length ?? 0;
    return said;
  });
  const from = performance.now();
  const { look, write, place } = await openWithMailbox(dovecot, {}, { imapPort: odd.port, user });
  const opened = performance.now();
  const { id } = await write('INBOX');
  const { id: lost } = await write(undefined, 'Lost');
  const written = performance.now();
  await look(1);
  const placed = performance.now();
  expect(await place(id)).toBe('inbox, delivered');
  await look(5);
  expect(await place(lost)).toBe('nowhere, delivered');
  figure(
    `with ${count} mails in the inbox: first look ${Math.round(opened - from)} ms, next ${Math.round(placed - written)} ms, with the search for a lost mail ${Math.round(performance.now() - placed)} ms; ${fetched} headers read`,
  );
  expect(fetched).toBeLessThan(10);
});

withDovecot('the doctor tries the password, and names the folders', async () => {
  const { owner, user } = await openWithMailbox(dovecot);
  const env = { IMAP_URL: dovecot.url(user) };
  expect(await linesOf(mailboxCheck, env)).toEqual([
    'mailbox ok: 127.0.0.1 lets us read it, and “Junk” and “Sent” are there.',
  ]);
  await owner.mailboxRename('Junk', 'Not for me');
  expect(await linesOf(mailboxCheck, env)).toEqual([
    'mailbox look: 127.0.0.1 lets us read it, but no folder is known as Junk.',
  ]);
  expect(await linesOf(mailboxCheck, { IMAP_URL: `imap://${user}:hush@127.0.0.1:${dovecot.port}` })).toEqual([
    'mailbox wrong: 127.0.0.1 refuses the user name or password in IMAP_URL.',
  ]);
});

test('the doctor says that nobody answers, and nothing of the password', async () => {
  const [line] = await linesOf(mailboxCheck, { IMAP_URL: 'imap://me:hush@127.0.0.1:1' });
  expect(line).toBe('mailbox wrong: 127.0.0.1 can’t be read (ECONNREFUSED).');
});
