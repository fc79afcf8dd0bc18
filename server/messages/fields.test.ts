import { expect, test } from 'vitest';
import * as contract from '../../contract/contact-message.ts';
import { MESSAGE } from '../../tests/support/service/open-test-service.ts';
import { checkEmail, checkMessage, furtherFields, labelOf } from './fields.ts';

function accepted(change: Record<string, unknown>) {
  const result = checkMessage({ ...MESSAGE, ...change });
  if (!result.ok) throw new Error(`refused: ${result.field}, ${result.fault}`);
  return result.message;
}

function refusedField(input: Record<string, unknown>): string | undefined {
  const result = checkMessage(input);
  return result.ok ? undefined : result.field;
}

test('outer blanks go, and line ends become one kind', () => {
  expect(
    accepted({ name: '  Ana\u00a0', email: '\tana@example.org ', message: '\n one\r\ntwo\rthree\n' }),
  ).toMatchObject({
    name: 'Ana',
    email: 'ana@example.org',
    message: 'one\ntwo\nthree',
  });
});

test.each(['Žofie Nováková', '山田太郎', 'محمد', 'O’Brien-D\'Arcy "Jr."', '👩🏽‍🔧 Zoë', 'ผู้ใช้', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢'])(
  'the name %s survives exactly',
  (name) => {
    expect(accepted({ name }).name).toBe(name.normalize('NFC'));
  },
);

test('a letter and its combining mark become one letter', () => {
  expect(accepted({ name: 'Zoe\u0308' }).name).toBe('Zo\u00eb');
});

test('tabs, blank lines and indentation inside a message stay', () => {
  const message = 'list:\n\n\t- one\n    - two';
  expect(accepted({ message }).message).toBe(message);
});

test('marks that turn a name around are taken out of it, and of an address, and stay in the message', () => {
  expect(accepted({ email: '\u202aana@example.org\u202c' }).email).toBe('ana@example.org');
  expect(accepted({ name: 'Ana\u202egpj.exe\u2066', message: 'a\u202eb' })).toMatchObject({
    name: 'Anagpj.exe',
    message: 'a\u202eb',
  });
});

test.each([
  ['name', 'missing', undefined],
  ['name', 'missing', ''],
  ['name', 'missing', ' \u00a0\u3000'],
  ['name', 'missing', '\u200b\u2060\u3164'],
  ['name', 'missing', '\u202e'],
  ['name', 'missing', 5],
  ['name', 'missing', { toString: 'x' }],
  ['name', 'unreadable', 'a\0b'],
  ['name', 'unreadable', 'a\nBcc: victim@example.com'],
  ['name', 'unreadable', 'a\u0085b'],
  ['name', 'unreadable', 'a\ud800'],
  ['name', 'tooLong', 'x'.repeat(201)],
  ['email', 'missing', null],
  ['email', 'missing', ['ana@example.org']],
  ['email', 'tooLong', `${'x'.repeat(250)}@b.ca`],
  ['email', 'invalid', 'ana'],
  ['email', 'invalid', 'ana@'],
  ['email', 'invalid', 'ana@-example.org'],
  ['email', 'invalid', 'ana@example..org'],
  ['email', 'invalid', 'ana@example.org, other@example.org'],
  ['email', 'invalid', 'Ana <ana@example.org>'],
  ['email', 'invalid', 'a b@example.org'],
  ['email', 'invalid', 'ana@ex\u00e4mple.org/x'],
  ['email', 'invalid', `${'a'.repeat(65)}@example.org`],
  // Its ASCII form is 260 characters long.
  ['email', 'invalid', `${'a'.repeat(64)}@ü.${'a.'.repeat(92)}org`],
  ['message', 'missing', '\r\n\t'],
  ['message', 'unreadable', 'bell \u0007'],
  ['message', 'unreadable', 'half \udc00 pair'],
  ['message', 'missing', true],
])('it is said of a faulty %s that it is %s: %j', (field, fault, value) => {
  expect(checkMessage({ ...MESSAGE, [field]: value })).toEqual({ ok: false, field, fault });
});

test('the first faulty field in the order of the form is named', () => {
  expect(refusedField({})).toBe('name');
  expect(refusedField({ name: 'Ana' })).toBe('email');
});

test('a field that is only inherited is missing', () => {
  expect(refusedField(Object.create(MESSAGE))).toBe('name');
});

test.each([
  ['name', 200],
  ['message', 10_000],
] as const)('a %s may have %i code points, of whatever width, and not one more', (field, max) => {
  expect(accepted({ [field]: '😀'.repeat(max) })[field]).toBe('😀'.repeat(max));
  expect(accepted({ [field]: `  ${'x'.repeat(max)}\n` })[field]).toHaveLength(max);
  expect(refusedField({ ...MESSAGE, [field]: 'x'.repeat(max + 1) })).toBe(field);
});

test('an address may have 64 characters before the @ and 254 in all', () => {
  const domain = (length: number) => `${`${'a'.repeat(60)}.`.repeat(4).slice(0, length - 4)}.org`;
  expect(accepted({ email: `${'a'.repeat(64)}@example.org` }).email).toHaveLength(76);
  expect(refusedField({ ...MESSAGE, email: `${'a'.repeat(65)}@example.org` })).toBe('email');
  expect(accepted({ email: `${'a'.repeat(64)}@${domain(189)}` }).email).toHaveLength(254);
  expect(refusedField({ ...MESSAGE, email: `${'a'.repeat(64)}@${domain(190)}` })).toBe('email');
});

test.each([
  'a@b',
  "o'brien+tag@example.org",
  '.odd.@example.org',
  'a..b@example.org',
  'x@xn--mnchen-3ya.example',
  'Ana@Example.ORG',
])('an address that browsers accept is accepted: %s', (email) => {
  expect(accepted({ email }).email).toBe(email);
});

test('a domain in another script becomes its ASCII form', () => {
  expect(accepted({ email: 'info@münchen.example' }).email).toBe('info@xn--mnchen-3ya.example');
  expect(accepted({ email: 'info@例え.テスト' }).email).toBe('info@xn--r8jz45g.xn--zckzah');
});

test('an address alone is checked as in the form', () => {
  expect(checkEmail(' info@münchen.example')).toBe('info@xn--mnchen-3ya.example');
  expect(checkEmail('info')).toBeUndefined();
});

test('each field has the label that the owner reads, and the three have places of their own', () => {
  expect((['name', 'email', 'message'] as const).map(labelOf)).toEqual(['Name', 'Email', 'Message']);
  expect(furtherFields(MESSAGE)).toEqual([]);
});

test('a page that was opened before an update still reaches the function: the names they share stay', () => {
  expect(contract).toMatchObject({
    FUNCTIONS_PATH: '/functions/v1',
    FUNCTION_NAME: 'send-contact-email',
    CLIENT_INFO: 'x-client-info',
    HONEYPOT_FIELD: 'leave_this_empty',
    SENT_ANCHOR: 'message-sent',
    NOT_SENT_PAGE: 'message-not-sent.html',
    DEFAULT_ANON_KEY: 'sb_publishable_embedded_server',
    MOST_BYTES: 65_536,
  });
});

test('what the page says beside a message is read as it was written, and nothing else is', () => {
  expect(contract.clientInfo(null, 1234.5)).toBe('form 1234');
  expect(contract.readClientInfo(contract.clientInfo(null, 1234.5))).toEqual({ trap: false, openMs: 1234 });
  expect(contract.readClientInfo(contract.clientInfo('on', 0))).toEqual({ trap: true, openMs: 0 });
  for (const other of [null, '', 'supabase-js/2.119.0', 'xform 1', 'form 1x', 'form -1', 'form 1234567890'])
    expect(contract.readClientInfo(other)).toBeUndefined();
});

test('a hostile address is judged at once', () => {
  const before = process.cpuUsage();
  for (const email of [`${'a'.repeat(60_000)}@`, `a@${'a-'.repeat(30_000)}`, `a@${'a.'.repeat(30_000)}!`]) {
    expect(refusedField({ ...MESSAGE, email })).toBe('email');
  }
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
