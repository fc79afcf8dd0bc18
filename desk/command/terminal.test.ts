import { expect, test } from 'vitest';
import { oneLine } from './terminal.ts';

test('a tower of marks on one letter is cut, and no word of any script', () => {
  expect(oneLine(`Z${'\u0301'.repeat(5000)}oe`)).toBe(`Z${'\u0301'.repeat(8)}oe`);
  // Pointed and accented Hebrew, Tibetan, Thai, decomposed Vietnamese: the deepest stacks in real text.
  for (const words of ['בְּרֵאשִׁ֖ית', 'བསྒྲུབས', 'น้ำที่', 'Nguyê\u0303\u0323n']) expect(oneLine(words)).toBe(words);
});
