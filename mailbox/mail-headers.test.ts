import { describe, expect, test } from 'vitest';
import { field, isAnswerTo, messageIds, type SentMail } from './mail-headers.ts';
import { judge } from './place.ts';

test.each([
  ['<a@b.example>', ['a@b.example']],
  ['<a@b.example> <c@d.example>', ['a@b.example', 'c@d.example']],
  ['<a@b.example><c@d.example>', ['a@b.example', 'c@d.example']],
  ['<a@b.\texample>', ['a@b.example']],
  ['<<a@b.example>>', ['a@b.example']],
  ['a@b.example, c@d.example', ['a@b.example', 'c@d.example']],
  ['<"a"@b.example>', ['a@b.example']],
  ['<a@b.example', ['a@b.example']],
  ['', []],
  ['<>', []],
])('Message-IDs in %j', (value, ids) => {
  expect(messageIds(value)).toEqual(ids);
});

test('a header field is found in any case, folded, and several times', () => {
  const headers = 'references: <a@b>\r\n <c@d>\r\nReferences:<e@f>\r\nX-References: <g@h>\r\n\r\n';
  expect(messageIds(field(headers, 'References'))).toEqual(['a@b', 'c@d', 'e@f']);
  expect(field(headers, 'auto-submitted')).toBe('');
});

describe('without the visitor among its recipients, a mail that names the message is an answer', () => {
  const message = { messageId: '<a@b>', email: 'ana@example.org', receivedAt: 0 };
  const isAnswer = (subject: string, recipients = ['corrected@example.org']) => {
    const mail: SentMail = { recipients, subject, at: 1, answers: ['A@b'], isAutomatic: false };
    return isAnswerTo(mail, message, ['Owner@example.com']);
  };
  test.each([
    'Re: x',
    'RE: x',
    'AW: x',
    'Re[2]: x',
    'SV: x',
    'Antwort: x',
    'R: x',
    'RIF: x',
    '回复：x',
    'Re : x',
  ])('%s', (subject) => {
    expect(isAnswer(subject)).toBe(true);
  });
  test.each([
    'Fwd: x',
    'FW: x',
    'WG: x',
    'TR: x',
    'RV: x',
    'VS: x',
    'Fwd: Re: x',
    'Report: x',
    'Stock',
    '转发：x',
  ])('not: %s', (subject) => {
    expect(isAnswer(subject)).toBe(false);
  });
  test('but not if it went to the owner alone', () => {
    expect(isAnswer('Re: x', ['owner@example.com'])).toBe(false);
    expect(isAnswer('Re: x', [])).toBe(false);
    expect(isAnswer('Fwd: x', ['ANA@example.org'])).toBe(true);
  });
});

test.each([
  [null, 'inbox', false, { place: 'inbox' }],
  [null, 'junk', false, { place: 'junk' }],
  [null, 'junk', true, { place: 'junk' }],
  ['nowhere', 'inbox', false, { place: 'inbox' }],
  ['nowhere', 'junk', true, { place: 'junk' }],
  ['inbox', 'inbox', true, { place: 'inbox' }],
  ['inbox', 'junk', true, { place: 'moved', deed: 'spam' }],
  ['elsewhere', 'junk', true, { place: 'moved', deed: 'spam' }],
  ['inbox', 'junk', false, { place: 'junk', deed: 'spam' }],
  ['junk', 'junk', true, { place: 'junk' }],
  ['moved', 'junk', false, { place: 'moved' }],
  ['junk', 'inbox', false, { place: 'inbox', deed: 'not spam' }],
  ['moved', 'inbox', true, { place: 'inbox', deed: 'not spam' }],
] as const)('a mail that was %s and is now in %s (read: %s)', (before, now, isRead, verdict) => {
  expect(judge(before, now, { isRead, isNew: true })).toEqual(verdict);
});

test.each([
  ['inbox', 'junk', { place: 'inbox' }],
  ['elsewhere', 'junk', { place: 'elsewhere' }],
  [null, 'junk', { place: 'junk' }],
  ['moved', 'inbox', { place: 'inbox', deed: 'not spam' }],
] as const)('a mail that was %s and is in %s, maybe all along', (before, now, verdict) => {
  expect(judge(before, now, { isRead: true, isNew: false })).toEqual(verdict);
});
