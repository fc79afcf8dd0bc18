import { expect, test } from 'vitest';
import { stampOf } from './receipt.ts';

const SENTENCE = 'Received {received} · reply by {replyBy}';
const received = new Date(2030, 0, 1, 10, 40).getTime();

test('a message is stamped with when it was received and by when it’s answered, by the clock here', () => {
  expect(stampOf(SENTENCE, 24, received, 'en-CA')).toBe('Received Tue 10:40\nreply by Wed 10:40');
});

test('a promise of a week or more is stamped with a date, since a weekday alone would be an earlier one', () => {
  expect(stampOf(SENTENCE, 336, received, 'en-CA')).toMatch(/reply by .*15/);
});

test.each(['auto', '', 'en_US', 'x', '-'])(
  'a page whose language somebody else has changed is still stamped: %j',
  (language) => {
    expect(stampOf(SENTENCE, 24, received, language)).toContain('10:40');
  },
);
