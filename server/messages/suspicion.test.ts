import { expect, test } from 'vitest';
import { copyKey, reasonsToHold, whyHeld } from './suspicion.ts';

const say = (message: string) => ({ message });

test.each([
  ['trap', { trap: true, openMs: 90_000 }],
  ['fast', { openMs: 1_999 }],
  ['fast', { openMs: 0 }],
  ['copies', { others: 3 }],
] as const)('one sign is enough: %s', (sign, around) => {
  expect(reasonsToHold(around)).toEqual([sign]);
});

test.each([
  ['pasting a text within two seconds and a bit', { openMs: 2_000 }],
  ['sending the same as two others', { others: 2 }],
  ['not using the page', { openMs: undefined, trap: undefined }],
])('a lead is not held for %s', (_, around) => {
  expect(reasonsToHold(around)).toEqual([]);
});

test('the owner reads why, of earlier versions’ signs too', () => {
  expect(whyHeld('trap fast')).toBe(
    'it fills in a field that people don’t see and it was sent sooner after opening the page than a person can type',
  );
  expect(whyHeld('sender link:pills.example template constructor')).toBe(
    'another version of this site took it for spam',
  );
});

test('texts are compared without links, numbers and cases, and only if they say enough', () => {
  const offer = (number: number) =>
    `Offer ${number}: This is a text that is long enough to compare, see https://a${number}.example`;
  const key = copyKey(say(offer(1)));
  expect(key).toBeDefined();
  expect(copyKey(say(offer(2)))).toBe(key);
  expect(
    copyKey(
      say(
        offer(1)
          .toUpperCase()
          .replace(/HTTP.*/, ''),
      ),
    ),
  ).toBe(key);
  expect(copyKey(say('Another text that is also long enough to compare with others'))).not.toBe(key);
  expect(copyKey(say('Please call me back as soon as you can'))).toBeUndefined();
});
