import { describe, expect, test } from 'vitest';
import { writeOwn } from '../../build/owners-words.ts';
import { luminance, readTokens } from '../../build/tokens.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { NO_WORDS } from '../../tests/support/site/test-site.ts';
import { colours } from '../content/site.ts';

const { light, dark, more } = await readTokens(NO_WORDS);

/** As they'd be if the owner chose these. */
async function ownTokens(lines: string, signal?: string) {
  const folder = temporaryFolder();
  await writeOwn(folder, { colours: { lines, ...(signal && { signal }) } });
  return readTokens(folder);
}

function contrast(one: string, other: string): number {
  const [bright = 0, dim = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

const grounds = ['ground', 'sheet', 'sheet-tint'];
const BODY_TEXT = 7;
const OTHER_TEXT = 4.5;
const LINE = 3;

const pairs: [front: string, backs: string[], least: number][] = [
  ['ink', grounds, BODY_TEXT],
  ['ink-quiet', grounds, BODY_TEXT],
  ['inverse-ink', ['inverse'], BODY_TEXT],
  ['inverse-quiet', ['inverse'], BODY_TEXT],
  ['label', grounds, OTHER_TEXT],
  ['signal-ink', ['signal', 'signal-hover'], OTHER_TEXT],
  ['danger', ['danger-ground', 'sheet'], OTHER_TEXT],
  ['line', [...grounds, 'face-top', 'face-left', 'face-right'], LINE],
  ['signal-line', ['ground', 'sheet', 'face-top'], LINE],
  ['body-line', ['face-top', 'body-top'], LINE],
];

/** A token's value, or that of the token it names. */
function colour(tokens: Record<string, string>, name: string): string {
  const value = tokens[`--${name}`] ?? '';
  const [, other] = /^var\(--(.*)\)$/.exec(value) ?? [];
  return other ? colour(tokens, other) : value;
}

describe.each(Object.entries({ light, dark }))('in the %s theme', (_theme, tokens) => {
  const rows = pairs.flatMap(([front, backs, least]) => backs.map((back) => ({ front, back, least })));
  test.each(rows)('$front on $back has a contrast of at least $least to 1', ({ front, back, least }) => {
    const [one, other] = [colour(tokens, front), colour(tokens, back)];
    expect(one, `There's no colour --${front}`).toMatch(/^#[\da-f]{6}$/);
    expect(other, `There's no colour --${back}`).toMatch(/^#[\da-f]{6}$/);
    expect(contrast(one, other)).toBeGreaterThanOrEqual(least);
  });
});

test('the words say which colours came with the page', () => {
  expect([light['--line'], light['--signal']]).toEqual([colours.lines, colours.signal]);
});

test.each(['#000000', '#ffffff', '#777777', '#ff0000', '#00ff00', '#0000ff', '#ffff00', '#7a1f3d'])(
  'whoever chooses %s can still read everything',
  async (hers) => {
    const { light, dark } = await ownTokens(hers, hers);
    for (const theme of [light, dark])
      for (const [front, backs, least] of pairs)
        for (const back of backs)
          expect
            .soft(contrast(colour(theme, front), colour(theme, back)), `${front} on ${back}`)
            // A colour on a screen has 256 steps, which is worth some thousandths.
            .toBeGreaterThan(least - 0.01);
  },
);

test('the owner’s colours change the page in both themes, and what she left is ours', async () => {
  const own = await ownTokens('#14532d');
  expect(own.light['--line']).toMatch(/^#[0-4]\w[5-9a-f]\w[0-5]\w$/);
  for (const theme of ['light', 'dark'] as const)
    for (const name of ['--ground', '--ink', '--line', '--face-left', '--band'])
      expect
        .soft(colour(own[theme], name.slice(2)), name)
        .not.toBe(colour({ light, dark }[theme], name.slice(2)));
  expect(own.light['--signal']).toBe(light['--signal']);
});

describe.each(Object.entries({ light, dark }))('with more contrast in the %s theme', (_theme, usual) => {
  const tokens = { ...usual, ...more };
  test.each([
    ['line', BODY_TEXT],
    ['ink-quiet', BODY_TEXT],
    ['rule', OTHER_TEXT],
  ] as const)('%s has %d to 1 on every ground', (front, least) => {
    for (const ground of grounds) {
      expect(contrast(colour(tokens, front), colour(tokens, ground))).toBeGreaterThanOrEqual(least);
    }
  });
  test.each(['line', 'rule', 'ink-quiet'])('%s is stronger than usual', (front) => {
    const before = usual[`--${front}`] ?? '';
    expect(contrast(colour(tokens, front), colour(tokens, 'ground'))).toBeGreaterThan(
      contrast(before, colour(tokens, 'ground')),
    );
  });
});
