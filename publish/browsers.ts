import { browserslistToTargets, Features } from 'lightningcss';
import type { Plugin } from 'vite';

/** The oldest browsers that show the page as designed: the last ones for Windows 7, and for an iPhone 7. */
export const DESIGNED = { chrome: '109', firefox: '115', safari: '15.6', ios: '15.6' };

/** The oldest in which it can be read, and its form works. */
const READABLE = { ...DESIGNED, chrome: '80' };

/** What everything is compiled for, in Vite's words. */
export const TARGET = Object.entries(READABLE).map(([name, version]) => name + version);

/** The same for styles, in Lightning CSS's words: otherwise, Vite would compile for newer ones first. */
export const STYLE_TARGETS = browserslistToTargets(
  Object.entries(READABLE).map(([name, version]) => `${name.replace('ios', 'ios_saf')} ${version}`),
);

/** For older browsers: what Lightning CSS leaves as it is, or turns into something they can't read either. */
export const withFallbacks: Plugin = {
  name: 'with-fallbacks',
  enforce: 'pre',
  transform: (code, id) => (/\.css(\?|$)/.test(id) ? addFallbacks(code) : null),
};

/** @param css as Biome formats it */
const addFallbacks = (css: string): string =>
  css
    // Before `/ ""`, for text that's not read out, and before `svh`: the same without them
    .replaceAll(/[\w-]+: [^;{}]*( \/ ""|\d[sd]vh\b)[^;{}]*;/g, (all, what: string) => {
      const older = all.replaceAll(/ \/ ""|(?<=\d)[sd](?=vh\b)/g, '');
      // With a custom property, a browser rejects a unit only once the one before is gone.
      return what.endsWith('vh') && /^--|var\(/.test(all)
        ? `${older} @supports (height: 1svh) { ${all} }`
        : `${older} ${all}`;
    })
    .replaceAll(/(overflow(?:-[xy])?): clip;/g, '$& @supports not (overflow: clip) { $1: hidden; }')
    // Lightning CSS would write `not (min-width: …)`, which is as new as ranges.
    .replaceAll(
      /\((?:([\d.]+rem) <= )?width < ([\d.]+)rem\)/g,
      (_, least: string | undefined, below: string) =>
        `${least ? `(min-width: ${least}) and ` : ''}(max-width: ${Number(below) - 0.001}rem)`,
    );

/** `:-webkit-any()` would be more specific than `:is()`, and nothing here uses `light-dark()`. */
export const LEFT_AS_THEY_ARE = Features.IsSelector | Features.NotSelectorList | Features.LightDark;
