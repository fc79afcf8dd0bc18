import { expect, test } from 'vitest';
import { writtenNumber } from './values.ts';

const NONE = '1499,50|1,5|24,0|1 5|1499,500|12,34,567|2,499,|,499|1.499,00|2.000|| |1e3|0x18|cheap';

test.each([
  ['1499', 1499],
  ['2,499', 2499],
  ['$2 499', 2499],
  ['2\u202f499 €', 2499],
  ['1,234,567', 1_234_567],
  ['1499.50', 1499.5],
  ['2,499.00', 2499],
  ...NONE.split('|').map((text) => [text, Number.NaN] as [string, number]),
])('%j is read as %d', (text, number) => {
  expect(writtenNumber(text)).toBe(number);
});
