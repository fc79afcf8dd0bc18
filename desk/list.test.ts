import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { ENGINES, onTerminal, openTestDesk } from '../tests/support/desk/desk-process.ts';
import { START } from '../tests/support/service/open-test-service.ts';

/** On a busy machine, each start of the program takes seconds. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Tries to clear the screen, change colours, rename the window, and reverse the text that follows. */
const CONTROL = /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;
const HOSTILE = 'a\u001b[2J\u001b[31mb\u009b31mc\u001b]0;owned\u0007d\u202ee\u2066f\rg';

describe.each(ENGINES)('on %s', (engine) => {
  test('messages are listed newest first, with age and state', async () => {
    const { add, run } = await openTestDesk(engine);
    expect(await run(['list'])).toEqual({ code: 0, out: 'No messages yet.\n', err: '' });
    await add({ received_at: START - 3 * DAY, name: 'Oldest', answered_at: START - 2 * DAY });
    await add({ received_at: START - 26 * HOUR, name: 'Aside', state: 'set_aside' });
    await add({ received_at: START - 5 * MINUTE, name: 'Spammer', state: 'spam' });
    // The desk's clock may still show START, when a whole day is left.
    await add({
      received_at: START - MINUTE / 2,
      name: 'Newest',
      state: 'waiting',
      message: 'One\n\nTwo\tthree',
    });
    const { code, out, err } = await run(['list']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      [
        '2 messages wait for your answer, 1 of them for over 24 hours. The oldest: 2 h over.',
        'To see who: npm run desk -- list --unanswered',
        '',
        'ID        AGE     STATE          ANSWER     FROM     MESSAGE',
        '00000004  now     to be mailed   23 h left  Newest   One Two three',
        '00000003  5 min   spam                      Spammer  Our stock is never where it should be.',
        '00000002  26 h    not mailed     2 h over   Aside    Our stock is never where it should be.',
        '00000001  3 days  mailed to you  answered   Oldest   Our stock is never where it should be.',
        '',
      ].join('\n'),
    );
  });

  test('the list is filtered by state, time and text, whatever its case', async () => {
    const { add, run, runJson } = await openTestDesk(engine);
    await add({ received_at: START - 3 * DAY, name: 'ÉLODIE', state: 'spam' });
    await add({ received_at: START - 2 * HOUR, email: 'Bo@Example.org', message: '100% of_it' });
    // Saturday noon in UTC is Saturday morning in Toronto, where the day began at 05:00 UTC.
    await add({ received_at: Date.UTC(2026, 10, 21, 5, 0), message: 'first of the day' });
    await add({ received_at: Date.UTC(2026, 10, 21, 4, 59), message: 'last of the day before' });
    const ids = async (...args: string[]) =>
      ((await runJson(['list', ...args])) as { id: string }[]).map(({ id }) => Number(id.slice(-2)));
    expect(await ids('--state', 'spam')).toEqual([1]);
    expect(await ids('--state', 'delivered')).toEqual([4, 3, 2]);
    expect(await ids('--since', '1d')).toEqual([4, 3, 2]);
    expect(await ids('--since', '3h')).toEqual([2]);
    expect(await ids('--since', '2026-11-21')).toEqual([3, 2]);
    expect(await ids('--since', '2026-11-20T23:59')).toEqual([4, 3, 2]);
    expect(await ids('--since', '2026-11-21T10:00:00Z')).toEqual([2]);
    expect(await ids('--text', 'élodie')).toEqual([1]);
    expect(await ids('--text', 'bo@example')).toEqual([2]);
    expect(await ids('--text', '100% of_')).toEqual([2]);
    expect(await ids('--text', 'OF THE DAY', '--since', '2026-11-21')).toEqual([3]);
    expect(await ids('--text', '%')).toEqual([2]);
    expect((await run(['list', '--text', 'nowhere'])).out).toBe('No message matches.\n');
  });

  test('people see the newest twenty, scripts all, and both as many as they ask for', async () => {
    const { database, add, run, runJson } = await openTestDesk(engine);
    const first = await add({ answered_at: START });
    const more = Array.from({ length: 1_200 }, (_, index) => ({
      ...first,
      id: `01a1fb9c-0001-7000-8000-${String(index).padStart(12, '0')}`,
      message_id: `<${index}@example.com>`,
    }));
    for (let start = 0; start < more.length; start += 400)
      await database.db
        .insertInto('contact_message')
        .values(more.slice(start, start + 400))
        .execute();
    const { out } = await run(['list']);
    expect(out.split('\n')).toHaveLength(1 + 20 + 1 + 1);
    expect(out).toMatch(/^00001199 .*\n/m);
    expect(out).toContain('Older messages are left out; --limit shows more.');
    const all = (await runJson(['list'])) as { id: string }[];
    expect(all.map(({ id }) => id)).toEqual([first, ...more].map(({ id }) => id).toReversed());
    expect(await runJson(['list', '--limit', '3'])).toHaveLength(3);
  });

  test('no text of a visitor reaches the terminal as a control sequence, in any command', async () => {
    const { add, run } = await openTestDesk(engine);
    // The form refuses such text, but imported data may contain it.
    const { id } = await add({ name: HOSTILE, email: 'a\u001b[31m@example.org', message: `${HOSTILE}\nx` });
    await add({ name: HOSTILE, id: `${id.slice(0, -2)}99`, state: 'spam' });
    for (const args of [['list'], ['list', '--json'], ['export', '--json']]) {
      const { out, err } = await run(args);
      expect(out + err).toContain('owned');
      expect(`${out}${err}`.replaceAll('\n', ''), args.join(' ')).not.toMatch(CONTROL);
    }
    const [shown] = JSON.parse((await run(['list', '--json'])).out);
    expect(shown.name, 'JSON keeps every character').toBe(HOSTILE);
  });
});

onTerminal('columns stay straight with wide letters, emoji and combining marks, in 80 columns', async () => {
  const { add, runOnTerminal } = await openTestDesk('sqlite');
  const names = [
    '山田太郎',
    '👩‍👩‍👧‍👦 Family',
    'Zoe\u0308',
    '김민준',
    'दीपिका',
    'Wolfeschlegelsteinhausenbergerdorff 🇨🇦',
  ];
  for (const name of names)
    await add({ name, answered_at: START, message: '倉庫の在庫が合いません。🎉'.repeat(20) });
  const { code, screen } = await runOnTerminal(['list'], { env: { NO_COLOR: '1' } });
  expect(code).toBe(0);
  const [head = '', ...lines] = screen.trimEnd().split('\n');
  expect(lines).toHaveLength(names.length);
  const start = head.indexOf('MESSAGE');
  for (const line of lines) {
    expect(stringWidth(line)).toBeLessThanOrEqual(80);
    expect(stringWidth(line.slice(0, line.indexOf('倉庫')))).toBe(start);
    expect(line).toMatch(/…$/);
  }
});

onTerminal('no line is wider than its terminal, and a narrow one shows less of the message', async () => {
  const { add, runOnTerminal } = await openTestDesk('sqlite');
  await add({ name: 'Wolfeschlegelsteinhausenbergerdorff', answered_at: START });
  for (const columns of [40, 60, 200]) {
    const { screen } = await runOnTerminal(['list'], { env: { NO_COLOR: '1' }, columns });
    const lines = screen.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines[0]?.includes('MESSAGE')).toBe(columns > 40);
  }
});

onTerminal('colours come on a terminal alone, and never with NO_COLOR', async () => {
  const { add, run, runOnTerminal } = await openTestDesk('sqlite');
  await add({ state: 'set_aside' });
  const colour = '\u001b[';
  for (const args of [['list'], ['--help']]) {
    expect((await run(args)).out).not.toContain(colour);
    const { screen } = await runOnTerminal(args);
    expect(screen).toContain(colour);
    expect(screen, 'our own colours are no control sequences of a visitor').not.toContain('\uFFFD');
    expect((await runOnTerminal(args, { env: { NO_COLOR: '1' } })).screen).not.toContain(colour);
  }
});
