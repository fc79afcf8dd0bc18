import { expect, test } from 'vitest';
import { readTokens } from '../../publish/tokens.ts';

const { light, dark } = readTokens();

/** A colour's relative luminance, 0 to 1, as WCAG 2.2 defines it. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(pair: string[]): number {
  const [bright = 0, dim = 0] = pair.map(luminance).sort((a, b) => b - a);
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
      expect.soft(contrast(pair), `${front} on ${back}`).toBeGreaterThanOrEqual(least);
    }
});
