import { expect, test } from 'vitest';
import { spotsIn } from './share.ts';

test('a link names spots by their numbers, in order', () => {
  expect(spotsIn('#stuck=1-4', 5)).toEqual([1, 4]);
  expect(spotsIn('#stuck=1-2-3-4-5', 5)).toEqual([1, 2, 3, 4, 5]);
});

test.each([
  '',
  '#stuck=',
  '#stuck=6',
  '#stuck=0-1',
  '#stuck=12',
  '#stuck=4-1',
  '#stuck=1-1',
  '#stuck=1-',
  '#stuck=1&2',
  '#stuck=%31',
  '#Stuck=1',
  '#stuck=<script>alert(1)</script>',
  `#stuck=1${'-1'.repeat(5000)}`,
])('a fragment of another shape is nothing: %.40j', (fragment) => {
  expect(spotsIn(fragment, 5)).toEqual([]);
});
