import { Features, type Selector, transform } from 'lightningcss';
import type { Plugin } from 'vite';
import { CSS_TARGETS } from './browsers.ts';

/** For older browsers, what Lightning CSS leaves as it is, or turns into what they don't read either. */
export const withFallbacks: Plugin = {
  name: 'with-fallbacks',
  enforce: 'pre',
  transform: (code, id) => (/\.css(\?|$)/.test(id) ? addFallbacks(code) : null),
};

/** @param css as Biome formats it */
export const addFallbacks = (css: string): string =>
  css
    // A text that's for the eye alone, and the window's height without its bars: before that, without and with them
    .replaceAll(/[\w-]+: [^;{}]*( \/ ""|\d[sd]vh\b)[^;{}]*;/g, (all, what: string) => {
      const older = all.replaceAll(/ \/ ""|(?<=\d)[sd](?=vh\b)/g, '');
      // Where there's a token, a browser only finds what it doesn't know once the one before is gone.
      return what.endsWith('vh') && /^--|var\(/.test(all)
        ? `${older} @supports (height: 1svh) { ${all} }`
        : `${older} ${all}`;
    })
    // With a token in it, a shorthand would stay one.
    .replaceAll(
      /(?<![\w-])(margin|padding)-(inline|block): ([^;{}]*var\([^;{}]*);/g,
      (_, name: string, axis: string, value: string) => {
        const [start = '', end = start] = partsOf(value);
        return `${name}-${axis}-start: ${start}; ${name}-${axis}-end: ${end};`;
      },
    )
    .replaceAll(/(?<![\w-])inset: ([^;{}]*var\([^;{}]*);/g, (_, value: string) => {
      const [top = '', right = top, bottom = top, left = right] = partsOf(value);
      return `top: ${top}; right: ${right}; bottom: ${bottom}; left: ${left};`;
    })
    .replaceAll('overflow: clip;', '$& @supports not (overflow: clip) { overflow: hidden; }')
    // It would be `not (min-width: …)`, which came with ranges.
    .replaceAll(
      /\((?:([\d.]+rem) <= )?width < ([\d.]+)rem\)/g,
      (_, least: string | undefined, below: string) =>
        `${least ? `(min-width: ${least}) and ` : ''}(max-width: ${Number(below) - 0.001}rem)`,
    );

/** A shorthand's values. */
function partsOf(value: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const sign of value.replaceAll(/\s+/g, ' ')) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === ' ' && depth === 0) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts;
}

/** `:-webkit-any()` would count for more than `:is()`, and nothing here uses `light-dark()`. */
export const LEFT_AS_THEY_ARE = Features.IsSelector | Features.NotSelectorList | Features.LightDark;

/** Minified styles with a selector for each part of an `:is()` where that comes to the same. */
export const withoutIs = (css: string): string =>
  transform({
    filename: 'without-is.css',
    code: Buffer.from(css),
    minify: true,
    targets: CSS_TARGETS,
    exclude: LEFT_AS_THEY_ARE,
    visitor: { Selector: expanded },
  }).code.toString();

/** How much each part of a selector counts. */
const KINDS = new Map<string, string>([
  ['id', 'a'],
  ['class', 'b'],
  ['attribute', 'b'],
  ['pseudo-class', 'b'],
  ['type', 'c'],
  ['pseudo-element', 'c'],
]);

function expanded(selector: Selector): Selector[] {
  const at = selector.findIndex((part) => part.type === 'pseudo-class' && part.kind === 'is');
  const is = selector[at];
  if (is?.type !== 'pseudo-class' || is.kind !== 'is') return [selector];
  const isSimple = is.selectors.flat().every((part) => KINDS.has(part.type) && !('selectors' in part));
  const counts = is.selectors.map((parts) =>
    parts
      .map(({ type }) => KINDS.get(type))
      .sort()
      .join(''),
  );
  if (!isSimple || new Set(counts).size > 1) return [selector];
  // What's a tag comes first.
  const start = selector.slice(0, at).findLastIndex(({ type }) => type === 'combinator') + 1;
  return is.selectors.flatMap((parts) =>
    expanded([
      ...selector.slice(0, start),
      ...parts.filter(({ type }) => type === 'type'),
      ...selector.slice(start, at),
      ...parts.filter(({ type }) => type !== 'type'),
      ...selector.slice(at + 1),
    ]),
  );
}
