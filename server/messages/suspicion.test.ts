import { expect, test } from 'vitest';
import { whyHeld } from './suspicion.ts';

test('the owner reads why, even for earlier versions’ signs', () => {
  expect(whyHeld('trap fast')).toBe(
    'a field that people don’t see was filled in, and the form was sent faster than a person can type',
  );
  expect(whyHeld('sender link:pills.example template constructor')).toBe(
    'another version of this site took it for spam',
  );
});
