import { expect, test } from 'vitest';
import { addFallbacks, withoutIs } from './fallbacks.ts';

test.each([
  ['p { content: counter(part) / ""; }', 'p { content: counter(part); content: counter(part) / ""; }'],
  ['p { height: 50dvh; }', 'p { height: 50vh; height: 50dvh; }'],
  [
    'p { font-size: min(var(--text-h1), 10svh); }',
    'p { font-size: min(var(--text-h1), 10vh); @supports (height: 1svh) { font-size: min(var(--text-h1), 10svh); } }',
  ],
  ['p { overflow: clip; }', 'p { overflow: clip; @supports not (overflow: clip) { overflow: hidden; } }'],
  ['@media print, (width < 22.5rem) {', '@media print, (max-width: 22.499rem) {'],
  ['@media (48rem <= width < 64rem) {', '@media (min-width: 48rem) and (max-width: 63.999rem) {'],
  [
    'p { padding-block: 0 max(var(--space-3), 1px); }',
    'p { padding-block-start: 0; padding-block-end: max(var(--space-3), 1px); }',
  ],
  ['p { inset: 0 var(--edge); }', 'p { top: 0; right: var(--edge); bottom: 0; left: var(--edge); }'],
  [
    'p { min-height: 100%; transition-property: opacity; }',
    'p { min-height: 100%; transition-property: opacity; }',
  ],
])('a browser that doesn’t read %s has something before it', (written, sent) => {
  expect(addFallbacks(written)).toBe(sent);
});

test.each([
  ['.a :is(h2, p):hover{color:red}', '.a h2:hover,.a p:hover{color:red}'],
  ['.a:is(div, p) b{color:red}', 'div.a b,p.a b{color:red}'],
  // These would count for less, or find something else.
  ['.a :is(h2,.b){color:red}', '.a :is(h2,.b){color:red}'],
  ['.a :is(ul li,ol li){color:red}', '.a :is(ul li,ol li){color:red}'],
])('%s finds the same without :is()', (written, sent) => {
  expect(withoutIs(written)).toBe(sent);
});
