import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { packages } from '../content/packages.ts';
import { type DrawingName, files } from './files.tsx';
import { HeroPlan } from './HeroPlan.tsx';
import { ALPHABET, lettering, MARKS } from './lettering.ts';
import { Mark } from './Mark.tsx';
import { packagePlan } from './PackagePlan.tsx';
import { Lettering } from './parts/lettering-on.tsx';
import { at, circle, onPlane, pathData, polygon, polyline, topFace } from './projection.ts';

describe('Projection', () => {
  test('x runs to the lower right, y to the lower left, z up', () => {
    expect(at(0, 0)).toEqual([0, 0]);
    expect(at(1, 0)).toEqual([14, 8]);
    expect(at(0, 1)).toEqual([-14, 8]);
    expect(at(0, 0, 1)).toEqual([0, -16]);
  });

  test('a flat drawing laid on a plane follows the axes of the plan', () => {
    expect(onPlane('left', [10, 20])).toBe('matrix(.875 .5 0 1 10 20)');
    expect(onPlane('right', [0.4, -0.4], 2)).toBe('matrix(1.75 -1 0 2 0 0)');
  });
});

describe('Paths', () => {
  test('a closed stroke is relative and leaves out what its end implies', () => {
    expect(pathData([topFace([0, 0, 0], 1, 1)])).toBe('m0 0 14 8-14 8-14-8z');
  });

  test('a second stroke starts from where the pen was left', () => {
    const one = polyline([0, 0, 0], [1, 0, 0]);
    expect(pathData([one, one])).toBe('m0 0 14 8m-14-8 14 8');
    const closed = polygon([0, 0, 0], [1, 0, 0], [1, 1, 0]);
    expect(pathData([closed, one])).toBe('m0 0 14 8-14 8zm0 0 14 8');
  });

  test('rounding errors do not add up along a path', () => {
    const steps = Array.from({ length: 31 }, (_, i) => [i * 3.4, 0] as const);
    const moves =
      pathData([{ points: steps, closed: false }])
        .replace('m0 0', '')
        .match(/-?\d+/g) ?? [];
    expect(moves.reduce((sum, move) => sum + Number(move), 0)).toBe(102);
  });

  test('a circle on the floor is an ellipse that lies flat', () => {
    expect(circle('floor', [0, 0], 1)).toBe('M-20 0a20 11 0 1 1 40 0a20 11 0 1 1-40 0z');
  });
});

describe('Lettering', () => {
  test('every glyph stays on its grid of four by six', () => {
    for (const glyph of Object.values(ALPHABET)) expect(glyph).toMatch(/^[0-4][0-6]([ |][0-4][0-6])+$/);
    for (const mark of Object.values(MARKS))
      expect(mark).toMatch(/^[0-4](0|-[12]|[78])([ |][0-4](-[12]|[78]))+$/);
  });

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
  const rendered = Object.values(files).flatMap((drawings) =>
    Object.entries(drawings).map(
      ([name, drawing]) => [name as DrawingName, renderToStaticMarkup(drawing)] as const,
    ),
  );

  test.each(rendered)('%s is one picture with a size and whole numbers', (_, markup) => {
    expect(markup).toMatch(/^<svg [^>]*width="\d+" height="\d+" viewBox="[-\d ]+"[^>]*aria-hidden="true"/);
    expect(markup).not.toMatch(/NaN|undefined|Infinity/);
  });

  test.each(rendered)('%s asks for no font and no script', (_, markup) => {
    expect(markup).not.toMatch(/<text|<script|href="[^#]/);
  });

  const orange: Partial<Record<DrawingName, number>> = {
    'detail-spreadsheet': 1,
    'detail-stock': 1,
    'detail-accountability': 1,
    'detail-errors': 1,
    'detail-disconnect': 1,
    // The bench and the ring around it, which the next one copies as pale outlines
    'process-diagnose': 2,
    // One for each detail
    'key-plan': 5,
    'stations-across': 1,
    'stations-down': 1,
    'lost-plan': 1,
  };
  test.each(rendered)('%s is orange only where things are stuck', (name, markup) => {
    expect(markup.split('d-hot').length - 1).toBe(orange[name] ?? 0);
  });

  test.each([2, 3, 4, 5])(
    'of %i packages, each drawing is further along than the one before, and the last is complete',
    (count) => {
      const plans = Array.from({ length: count }, (_, at) => packagePlan(at + 1, count));
      expect(plans).toEqual([...new Set(plans)].sort());
      expect(plans.at(-1)).toBe(Object.keys(files.packages).at(-1));
    },
  );

  test('of the packages’ plans only the popular one’s is for an inverse sheet', () => {
    const { items } = packages;
    const popular = items.flatMap((item, at) => (item.popular ? [packagePlan(at + 1, items.length)] : []));
    const inverse = rendered.filter(([, markup]) => markup.includes('"d-root d-inverse"'));
    expect(inverse.map(([name]) => name)).toEqual(popular);
  });

  test('the hero says what it shows, and prefixes every id it brings into the page', () => {
    const markup = renderToStaticMarkup(HeroPlan({ label: 'A small operation' }));
    expect(markup).toMatch(/^<svg [^>]*role="img" aria-label="A small operation"/);
    const ids = [...markup.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) expect(id).toMatch(/^hp-/);
  });

  test('the mark is hidden from assistive technology', () => {
    expect(renderToStaticMarkup(Mark({}))).toContain('aria-hidden="true"');
  });
});
