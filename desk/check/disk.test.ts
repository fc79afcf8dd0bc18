import { expect, test } from 'vitest';
import { judgeSpace } from './disk.ts';

const GB = 1024 ** 3;

test.each([
  [GB, 'ok: 1 GB free'],
  [GB - 1, 'look: Only 1023 MB free'],
  [0.09 * GB, 'wrong: Only 92 MB free'],
])('%i bytes free is %s', (bytes, expected) => {
  const { verdict, found } = judgeSpace(bytes);
  expect(`${verdict}: ${found}`.startsWith(expected)).toBe(true);
});
