import { expect, test } from 'vitest';
import { copyKey, whyHeld } from './suspicion.ts';

const say = (message: string) => ({ message });

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
  const shouted = offer(1)
    .replace(/http.*/, '')
    .toUpperCase();
  expect(key).toBeDefined();
  expect([copyKey(say(offer(2))), copyKey(say(shouted))]).toEqual([key, key]);
  expect(copyKey(say('Another text that is also long enough to compare with others'))).not.toBe(key);
  expect(copyKey(say('Please call me back as soon as you can'))).toBeUndefined();
});
