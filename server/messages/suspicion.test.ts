import { expect, test } from 'vitest';
import { whyHeld } from './suspicion.ts';

test('the owner reads why, of earlier versions’ signs too', () => {
  expect(whyHeld('trap fast')).toBe(
    'it fills in a field that people don’t see and it was sent sooner after opening the page than a person can type',
  );
  expect(whyHeld('sender link:pills.example template constructor')).toBe(
    'another version of this site took it for spam',
  );
});
