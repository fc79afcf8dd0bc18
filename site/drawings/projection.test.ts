import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { files } from './files.tsx';
import { lettering } from './lettering.ts';
import { packagePlan } from './PackagePlan.tsx';
import { Lettering } from './parts/lettering-on.tsx';

test('lettering has every letter of the alphabet, accented ones as wide as plain ones, and fails for others', () => {
  expect(lettering('abcdefghijklmnopqrstuvwxyz').width).toBe(26 * 6 - 4);
  expect(lettering('ÀÉÎÕÜÇŠŻĄ’-').width).toBe(lettering('AEIOUCSZA’-').width);
  expect(() => lettering('ПАК')).toThrow('“П”');
});

test('a word that’s too long for its room is drawn smaller, one that fits isn’t, and no word draws nothing', () => {
  const drawn = (text: string) => renderToStaticMarkup(Lettering({ text, from: [0, 0], room: 6 }));
  expect(drawn('SHIP')).toContain('matrix(2.625 ');
  expect(drawn('EXPÉDITION')).toContain('matrix(1.615 ');
  expect(drawn('')).toBe('');
});

test('each number stands on its pin of the plan', () => {
  const drawn = renderToStaticMarkup(files.plan.drawings['key-plan']);
  const [x = 0, y = 0, width = 0, height = 0] =
    /viewBox="([^"]+)"/.exec(drawn)?.[1]?.split(' ').map(Number) ?? [];
  const pins = Array.from(drawn.matchAll(/<circle [^>]*cx="(\S+)" cy="(\S+)"/g), ([, left, top]) => [
    (100 * (Number(left) - x)) / width,
    (100 * (Number(top) - y)) / height,
  ]);
  const styles = readFileSync(join(import.meta.dirname, '../sections/Plan.module.css'), 'utf8');
  const numbers = Array.from(styles.matchAll(/inset: (\S+)% auto auto (\S+)%/g), ([, top, left]) => [
    expect.closeTo(Number(left), 0),
    expect.closeTo(Number(top), 0),
  ]);
  expect(numbers).toHaveLength(5);
  expect(pins).toEqual(numbers);
});

test('each drawing is a picture with a size and whole numbers, hidden from assistive technology, without font or script', () => {
  const drawings = Object.values(files).flatMap((file) => Object.entries(file.drawings));
  for (const [name, drawing] of drawings) {
    const markup = renderToStaticMarkup(drawing);
    expect(markup, name).toMatch(
      /^<svg [^>]*width="\d+" height="\d+" viewBox="[-\d ]+"[^>]*aria-hidden="true"/,
    );
    expect(markup, name).not.toMatch(/NaN|undefined|Infinity|<script|href="[^#]/);
  }
});

test('of two to five packages, each drawing is further along than the one before, and the last is complete', () => {
  for (const count of [2, 3, 4, 5]) {
    const plans = Array.from({ length: count }, (_, at) => packagePlan(at + 1, count));
    expect(plans).toEqual([...new Set(plans)].sort());
    expect(plans.at(-1)).toBe(Object.keys(files.packages.drawings).at(-1));
  }
});
