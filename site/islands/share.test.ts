import { expect, test } from 'vitest';
import { spotsIn } from './share.ts';

test.each([
  ['#stuck=1-4', [1, 4]],
  ['#stuck=1-2-3-4-5', [1, 2, 3, 4, 5]],
])('a link names spots by their numbers, in order: %s', (fragment, spots) => {
  expect(spotsIn(fragment, 5)).toEqual(spots);
});

const NONE = ['=', '=6', '=0-1', '=12', '=4-1', '=1-1', '=1-', '=1&2', '=%31', '=<script>alert(1)</script>'];

test('a fragment of another shape is nothing', () => {
  for (const fragment of [
    '',
    '#Stuck=1',
    ...NONE.map((end) => `#stuck${end}`),
    `#stuck=1${'-1'.repeat(5000)}`,
  ])
    expect(spotsIn(fragment, 5), fragment).toEqual([]);
});
