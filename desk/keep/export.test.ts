import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { idOf, openWith } from '../../tests/support/database/message-rows.ts';
import { ENGINES } from '../../tests/support/database/new-database.ts';
import { openTestDesk, runDesk } from '../../tests/support/desk/desk-process.ts';
import { NODE_ENVIRONMENT } from '../../tests/support/service/node-environment.ts';
import { START } from '../../tests/support/service.ts';

const main = join(import.meta.dirname, '../desk-command.ts');
const HEAD = 'Received,State,Name,Email,Message,Delivered,Answered,ID\r\n';

/** As a spreadsheet reads it: quotes count only where a cell begins. */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"?)?([^${separator}\r\n]*)(?:${separator}|\r\n|\r|\n|$)`, 'y');
  while (cell.lastIndex < text.length) {
    const [, quoted = '', rest = ''] = cell.exec(text) ?? expect.fail('no CSV');
    cells.push(quoted.replaceAll('""', '"') + rest);
  }
  return cells;
}

describe.each(ENGINES)('on %s', (engine) => {
  test('CSV keeps texts, and no cell can begin a formula, whatever the separator', async () => {
    const { add, run } = await openTestDesk(engine);
    expect(await run(['export', '--csv'])).toEqual({ code: 0, out: `\uFEFF${HEAD}`, err: '' });
    const plain = ['a "quoted", word', 'one\ntwo', '1+1=2', 'a@b', 'Zoë 👩🏽‍🔧 山田', "'quoted"];
    for (const message of plain) await add({ message, answered_at: START });
    const cells = cellsOf((await run(['export', '--csv'])).out, ',');
    expect(cells.filter((_, at) => at > 8 && at % 8 === 4)).toEqual(plain);
    expect(cells.slice(8, 16)).toEqual([
      ...['2026-11-21 06:00:00', 'sent', 'Ana Souza', 'ana@example.org', 'a "quoted", word'],
      ...['2026-11-21 06:01:00', '2026-11-21 07:00:00', idOf(1)],
    ]);
    const signs = ['=', '+', '-', '@', '＝'];
    const before = '|"|""| |;|hello;|a;"|a,|a\t|\t|a\n|a\n;|a";"";|a\n\n " '.split('|');
    for (const sign of signs)
      for (const start of before) await add({ message: `${start}${sign}cmd|' /C calc'!A0` });
    const { out } = await run(['export', '--csv']);
    for (const separator of [',', ';', '\t'])
      expect(cellsOf(out, separator).filter((cell) => /^["\s]*[=+\-@＝]/.test(cell))).toEqual([]);
  });

  test('JSON has all that was typed, and nothing that reverses or colours a terminal', async () => {
    const { add, run } = await openTestDesk(engine);
    const message = 'safe\u202Eexe.txt\u2066 \x9b31m\x7f "new\nline"';
    await add({ message });
    const { out } = await run(['list', '--json']);
    expect(out).not.toMatch(/[\x7f-\x9f\u202A-\u202E\u2066-\u2069]/);
    expect(JSON.parse(out)).toMatchObject([{ message }]);
  });

  test('JSON has times in ISO 8601', async () => {
    const { add, run } = await openTestDesk(engine);
    await add({ received_at: START - 9 * 86_400_000 });
    const { id } = await add({ email: 'Bo@example.org', state: 'spam', attempts: 0 });
    const all = JSON.parse((await run(['export', '--json'])).out);
    expect(all).toHaveLength(2);
    expect(all[1]).toEqual({
      id,
      receivedAt: '2026-11-21T11:00:00.000Z',
      state: 'spam',
      name: 'Ana Souza',
      email: 'Bo@example.org',
      message: 'Our stock is never where it should be.',
      attempts: 0,
      lastError: null,
      nextAttemptAt: null,
      deliveredAt: null,
      answeredAt: null,
      answerDueAt: null,
      heldFor: [],
    });
  });
});

test('a file is new, for its owner alone, and Excel reads its letters', async () => {
  const { add, run, folder } = await openTestDesk('sqlite');
  await add({ name: 'Zoë' });
  const file = join(folder, 'messages.csv');
  const { code, err } = await run(['export', 'messages.csv']);
  expect([code, err]).toEqual([0, 'All messages are in messages.csv. Keep it where only you can read it.\n']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const written = readFileSync(file, 'utf8');
  expect(written.startsWith(`\uFEFF${HEAD}`)).toBe(true);
  for (const [name, why] of [
    ['messages.csv', 'messages.csv is already there, and isn’t overwritten.'],
    ['nowhere/a.json', 'nowhere/a.json can’t be written, because its folder doesn’t exist'],
  ] as const) {
    const err = expect.stringContaining(why);
    expect(await run(['export', name])).toEqual({ code: 1, out: '', err });
  }
  expect(readFileSync(file, 'utf8')).toBe(written);

  for (const args of [[], ['messages.txt'], ['a.csv', 'b.csv']])
    expect(await run(['export', ...args])).toMatchObject({ code: 2, out: '' });
  expect((await run(['export', 'named.CSV'])).code).toBe(0);
  expect(readFileSync(join(folder, 'named.CSV'), 'utf8')).toBe(written);
});

const LETTER = { message: 'A long letter. '.repeat(170) };

test('twelve thousand long messages are exported in little memory', async () => {
  const { location } = await openWith(Array(12_000).fill(LETTER));
  const folder = dirname(location);
  // 30 MB of text, which would be held twice if it were written only once it's whole, through a heap of 48 MB. With
  // 32 MB, the garbage collector sometimes runs out of time.
  const lean = { env: { NODE_OPTIONS: '--max-old-space-size=48' } };
  for (const file of ['all.csv', 'all.json']) {
    expect(await runDesk(folder, ['export', file], lean)).toMatchObject({ code: 0 });
    expect(statSync(join(folder, file)).size).toBeGreaterThan(30e6);
  }
});

test('a reader may stop early', async () => {
  // More than a pipe holds.
  const { location } = await openWith(Array(100).fill(LETTER));
  for (const args of ['export --csv', 'list --json']) {
    const shell = `"$0" "$1" ${args} | head -n 2; echo "\${PIPESTATUS[0]}"`;
    const env = { ...NODE_ENVIRONMENT, DATABASE_URL: `file:${location}` };
    const typed = ['--norc', '-c', shell, process.execPath, main];
    const { stdout, stderr } = await promisify(execFile)('bash', typed, { env });
    expect([stderr, stdout], args).toEqual(['', expect.stringMatching(/^([^\n]+\n){2}0\n$/)]);
  }
});
