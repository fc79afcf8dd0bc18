import { expect, test } from 'vitest';
import { spotsIn } from './share.ts';

const NONE = ['=', '=6', '=0-1', '=12', '=4-1', '=1-1', '=1-', '=1&2', '=%31', '=<script>alert(1)</script>'];
const LONG = `#stuck=1${'-1'.repeat(5000)}`;

test('a fragment unlike #stuck=1-4 names no spots', () => {
  expect(spotsIn('#stuck=1-4', 5)).toEqual([1, 4]);
  for (const fragment of ['', '#Stuck=1', LONG, ...NONE.map((end) => `#stuck${end}`)])
    expect(spotsIn(fragment, 5), fragment).toEqual([]);
});
