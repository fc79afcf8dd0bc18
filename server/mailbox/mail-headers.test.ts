import { expect, test } from 'vitest';
import { field, messageIds } from './mail-headers.ts';
import { judge } from './place.ts';
import { judgeAnswer } from './sent-mail.ts';

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

test.each([
  [
    'perhaps',
    'Re: x',
    'RE: x',
    'Re[2]: x',
    'Antwort: x',
    'R: x',
    '回复：x',
    'VS: x',
    'Report: x',
    'Stock',
    '',
  ],
  [undefined, 'Fwd: x', 'FW: x', 'WG: x', 'TR: x', 'RV: x', 'Fwd: Re: x', 'Re: Re: Fwd: x', '转发：x'],
] as [string | undefined, ...string[]][])(
  'a mail that names the message and went elsewhere is %s an answer',
  (verdict, ...subjects) => {
    const message = { messageId: '<a@b>', email: 'ana@example.org', receivedAt: 0 };
    const judged = (subject: string, ...recipients: string[]) =>
      judgeAnswer({ subject, recipients, blind: [], at: 1, answers: ['A@b'], author: 'person' }, message, [
        'Owner@example.com',
      ]);
    for (const subject of subjects) {
      expect(judged(subject, 'bo@example.org'), subject).toBe(verdict);
      expect(judged(subject, 'owner@example.com'), subject).toBeUndefined();
      expect(judged(subject, 'ANA@example.org'), subject).toBe('answered');
    }
  },
);

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
