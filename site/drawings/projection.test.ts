import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { files } from './files.tsx';
import { lettering } from './lettering.ts';
import { packagePlan } from './PackagePlan.tsx';
import { Lettering } from './parts/lettering-on.tsx';

describe('Lettering', () => {
  test('it has every letter of the alphabet, and those with accents are as wide as without', () => {
    expect(lettering('abcdefghijklmnopqrstuvwxyz').width).toBe(26 * 6 - 4);
    expect(lettering('ÀÉÎÕÜÇŠŻĄ’-').width).toBe(lettering('AEIOUCSZA’-').width);
  });

  test('a word that is too long for its room is drawn smaller, one that fits is not, and none draws nothing', () => {
    const drawn = (text: string) => renderToStaticMarkup(Lettering({ text, from: [0, 0], room: 6 }));
    expect(drawn('SHIP')).toContain('matrix(2.625 ');
    expect(drawn('EXPÉDITION')).toContain('matrix(1.615 ');
    expect(drawn('')).toBe('');
  });

  test('a letter missing from the alphabet is an error', () => {
    expect(() => lettering('ПАК')).toThrow('“П”');
  });
});

describe('Drawings', () => {
  const rendered = Object.values(files).flatMap(({ drawings }) =>
    Object.entries(drawings).map(([name, drawing]) => [name, renderToStaticMarkup(drawing)] as const),
  );

  test('each is a picture with a size and whole numbers, hidden from assistive technology, without font or script', () => {
    for (const [name, markup] of rendered) {
      expect(markup, name).toMatch(
        /^<svg [^>]*width="\d+" height="\d+" viewBox="[-\d ]+"[^>]*aria-hidden="true"/,
      );
      expect(markup, name).not.toMatch(/NaN|undefined|Infinity|<script|href="[^#]/);
    }
  });

  test.each([2, 3, 4, 5])(
    'of %i packages, each drawing is further along than the one before, and the last is complete',
    (count) => {
      const plans = Array.from({ length: count }, (_, at) => packagePlan(at + 1, count));
      expect(plans).toEqual([...new Set(plans)].sort());
      expect(plans.at(-1)).toBe(Object.keys(files.packages.drawings).at(-1));
    },
  );
});
