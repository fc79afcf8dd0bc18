import { expect, test } from 'vitest';
import { clientInfo, readClientInfo } from '../../contract/contact-message.ts';
import { MESSAGE } from '../../tests/support/service.ts';
import { checkMessage } from './fields.ts';

const judge = (change: Record<string, unknown>) => checkMessage({ ...MESSAGE, ...change });

const WHOLE = '👩🏽‍🔧🏳️‍🌈 می‌خواهم क्‍ष Donau\u00addampf \u200fa\u202eb\u202c\u2800c';

// server/http/properties.test.ts checks that a name in any script and a plain address stay as they are.
test.each([
  ['name', 'Jane\tRoe\r\nLtd.\u2028Ottawa\u0085\v', 'Jane Roe Ltd. Ottawa'],
  ['name', 'Ja\0ne\u007f \u001bRoe\u009b', 'Jane Roe'],
  ['name', 'Jane\ud800', 'Jane\ufffd'],
  // Marks that reverse it.
  ['name', 'Ana\u202egpj.exe\u2066', 'Anagpj.exe'],
  ['message', 'a\r\nb\rc\vd\fe\u0085f\u2028g\u2029h', 'a\nb\nc\nd\ne\nf\ng\nh'],
  ['message', 'list:\n\n\t- one\n    - two', 'list:\n\n\t- one\n    - two'],
  ['message', 'bell\u0007 \0\u001b[31mred\u007f\u0080\u009f, \udc00 half', 'bell [31mred, \ufffd half'],
  // Joiners, emoji, soft hyphens and directions are part of it.
  ['message', WHOLE, WHOLE],
] as const)('what comes along in a pasted %s is cleaned: %j', (field, pasted, stored) => {
  expect(judge({ [field]: pasted })).toEqual({ ok: true, message: { ...MESSAGE, [field]: stored } });
});

test.each([
  'Ana Souza <ana@example.org>',
  '"Souza, Ana" <ana@example.org>, ',
  'Ana @ Acme <ana@example.org>',
  'ana@example.org<mailto:ana@example.org>',
  '<ana@example.org',
  'MAILTO:ana%40example.org?subject=Hello%20there&body=x',
  '“ana@example.org”',
  '(ana@example.org)',
  '"ana@example.org".',
  'ana@example.org\u2800–',
  '\u00a0ana\u00a0@example.org;',
  'ana\u200b@\u2060exa\u00admple.org\ufeff',
  '\u202aana@example.org\u202c\u061c',
  'ana\u200c@example.org\u200d',
  'ａｎａ＠ｅｘａｍｐｌｅ．ｏｒｇ',
  '\tana@example.org\0\u001b\r\n',
  `${'A very long name '.repeat(50)}<ana@example.org>`,
])('an address is taken as people copy it: %j', (email) => {
  expect(judge({ email })).toMatchObject({ message: { email: 'ana@example.org' } });
});

test.each<[string, string]>([
  ["O'Brien <o'brien@example.org>", "o'brien@example.org"],
  ["'quoted@example.org", "'quoted@example.org"],
  ['mailto:ana%2Btag@example.org', 'ana+tag@example.org'],
  ['mailto:ana%@example.org', 'ana%@example.org'],
  ['oﬃce@example.org', 'office@example.org'],
  ['＜info@münchen.example＞', 'info@xn--mnchen-3ya.example'],
  ['info@½.example', 'info@xn--12-c6t.example'],
  ['info@نامه\u200cای.com', 'info@xn--mgba3gch31f060k.com'],
])('what is part of an address that browsers accept stays: %j', (email, stored) => {
  expect(judge({ email })).toMatchObject({ message: { email: stored } });
});

test.each([
  ['name', 'missing', undefined],
  ['name', 'missing', ' \u00a0\u3000\u200b\u2060\u3164\u202e\u2800\u115f\u1160\uffa0\0\u001b'],
  ['name', 'missing', { toString: 'x' }],
  ['email', 'missing', ['ana@example.org']],
  ['email', 'tooLong', `${'x'.repeat(250)}@b.ca`],
  ['email', 'invalid', 'ana@'],
  ['email', 'invalid', 'ana@-example.org'],
  ['email', 'invalid', 'ana@example.org, other@example.org'],
  ['email', 'invalid', 'Ana <ana@example.org>; Bo <bo@example.org>'],
  ['email', 'invalid', 'bo@example.org <ana@example.org>'],
  ['email', 'invalid', 'mailto:ana@example.org,bo@example.org'],
  ['email', 'invalid', 'mailto:ana%00@example.org'],
  ['email', 'invalid', '"Ana"@example.org'],
  ['email', 'invalid', 'a b@example.org'],
  ['email', 'invalid', 'ana@\nexample.org'],
  ['email', 'invalid', 'ana@ex\u00e4mple.org/x'],
  ['email', 'invalid', `${'a'.repeat(65)}@example.org`],
  // Its ASCII form is 260 characters long.
  ['email', 'invalid', `${'a'.repeat(64)}@ü.${'a.'.repeat(92)}org`],
  ['message', 'missing', '\r\n\t\u200b\0\u00ad'],
])('a faulty %s is called %s: %j', (field, fault, value) => {
  expect(judge({ [field]: value })).toEqual({ ok: false, field, fault });
});

test.each([
  ['name', 200],
  ['message', 10_000],
] as const)('a %s may have %i code points, of whatever width, and not one more', (field, max) => {
  for (const longest of ['😀'.repeat(max), 'x'.repeat(max)])
    expect(judge({ [field]: `  ${longest}\n` })).toMatchObject({ message: { [field]: longest } });
  expect(judge({ [field]: 'x'.repeat(max + 1) })).toEqual({ ok: false, field, fault: 'tooLong' });
});

test('what the page says beside a message is read as it was written, and nothing else is', () => {
  expect(clientInfo(null, 1234.5)).toBe('form 1234');
  expect(readClientInfo(clientInfo(null, 1234.5))).toEqual({ trap: false, openMs: 1234 });
  expect(readClientInfo(clientInfo('on', 0))).toEqual({ trap: true, openMs: 0 });
  expect(readClientInfo(clientInfo('on', -5))).toEqual({ trap: true, openMs: 0 });
  for (const other of [null, '', 'supabase-js/2.119.0', 'xform 1', 'form 1x', 'form -1', 'form 1234567890'])
    expect(readClientInfo(other)).toBeUndefined();
});

test('a hostile address is rejected quickly', () => {
  const before = process.cpuUsage();
  const hostile = [
    `${'a'.repeat(60_000)}@`,
    `a@${'a.'.repeat(30_000)}!`,
    `${'.'.repeat(60_000)}x`,
    `${'\u200c'.repeat(60_000)}x`,
    `a@${'ü'.repeat(30_000)}`,
  ];
  for (const email of hostile) expect(judge({ email })).toMatchObject({ ok: false, field: 'email' });
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
