import { expect, test } from 'vitest';
import { readTokens } from '../../publish/tokens.ts';
import { contrast } from '../../tests/support/site/contrast.ts';

const { light, dark } = readTokens();

const rgb = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

const grounds = ['ground', 'sheet', 'sheet-tint'];
const BODY_TEXT = 7;
const OTHER_TEXT = 4.5;
const LINE = 3;

const pairs: [front: string, backs: string[], least: number][] = [
  ['ink', grounds, BODY_TEXT],
  ['ink-quiet', grounds, BODY_TEXT],
  ['inverse-ink', ['inverse'], BODY_TEXT],
  ['band-ink', ['band'], BODY_TEXT],
  ['band-quiet', ['band'], BODY_TEXT],
  ['label', grounds, OTHER_TEXT],
  ['signal-ink', ['signal', 'signal-hover'], OTHER_TEXT],
  ['danger', ['danger-ground', 'sheet'], OTHER_TEXT],
  ['line', [...grounds, 'face-top', 'face-left', 'face-right'], LINE],
  ['signal-line', ['ground', 'sheet', 'face-top'], LINE],
  ['body-line', ['face-top', 'body-top'], LINE],
];

function colour(tokens: Record<string, string>, name: string): string {
  const value = tokens[`--${name}`] ?? '';
  const [, other] = /^var\(--(.*)\)$/.exec(value) ?? [];
  return other ? colour(tokens, other) : value;
}

test.each(Object.entries({ light, dark }))('in the %s theme, texts and lines stand out', (_, tokens) => {
  for (const [front, backs, least] of pairs)
    for (const back of backs) {
      const pair = [colour(tokens, front), colour(tokens, back)];
      for (const one of pair) expect.soft(one, `${front} on ${back}`).toMatch(/^#[\da-f]{6}$/);
      expect.soft(contrast(pair.map(rgb)), `${front} on ${back}`).toBeGreaterThanOrEqual(least);
    }
});
