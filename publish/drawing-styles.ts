import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Features, transform } from 'lightningcss';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { CSS_TARGETS } from './browsers.ts';
import { readTokens, tokensIn } from './tokens.ts';

// Styles that stand in files of their own, as they are for any words.

export async function legalStyles(): Promise<string> {
  const filename = join(PROJECT_ROOT, 'site/styles/legal.css');
  return transform({
    filename,
    code: await readFile(filename),
    minify: true,
    targets: CSS_TARGETS,
  }).code.toString();
}

/**
 * Picks the rules for a drawing's classes, and the tokens that the rules or the drawing use.
 *
 * @param darkView what the name of a view in dark colours ends in
 */
export async function stylePicker(darkView: string): Promise<(markup: string) => string> {
  const classes = new Set<string>();
  const tokens = new Set<string>();
  const without = (css: string, unusedSymbols: string[]) =>
    transform({
      filename: 'drawing.css',
      code: Buffer.from(css),
      minify: true,
      unusedSymbols,
      visitor: {
        Selector: (selector) => {
          for (const part of selector) if (part.type === 'class') classes.add(part.name);
        },
        Declaration: { custom: ({ name }) => void tokens.add(name) },
      },
    }).code.toString();
  const { light, dark, more } = await readTokens();
  const darker = Object.entries(dark).filter(([name, value]) => value !== light[name]);
  const isDark = `:root:has(:target[id$="${darkView}"])`;
  // An inverse drawing is for a blue sheet in the light theme, and for a light one in the dark theme.
  const lighter = darker.map(([name]) => [name, light[name]]);
  const set = (...tokens: (string | undefined)[][]) =>
    `{${tokens.map((token) => token.join(':')).join(';')}}`;
  const all = without(
    [
      `:root${set(...Object.entries(light))}`,
      `@media (prefers-color-scheme:dark){:root${set(...darker)}}`,
      `@media (prefers-contrast:more){:root${set(...Object.entries(more))}}`,
      await readFile(join(PROJECT_ROOT, 'site/drawings/drawing.first.css'), 'utf8'),
      `${isDark}${set(...darker)}`,
      `${isDark} .d-inverse${set(...lighter)}`,
      `@media (prefers-color-scheme:dark){.d-root.d-inverse${set(...lighter)}}`,
    ].join(''),
    [],
  );
  return (markup) => {
    const words = new Set(markup.split(/[\s"]/));
    let css = without(
      all,
      [...classes].filter((name) => !words.has(name)),
    );
    // More than once, since a token may only be used by another token.
    for (const _ of [1, 2, 3])
      css = without(
        css,
        [...tokens].filter((name) => !`${css}${markup}`.includes(`var(${name})`)),
      );
    return css;
  };
}

/**
 * The plan's rules for the share picture: without animation, and with custom properties replaced by their values, since librsvg doesn't
 * support them. Some have different values inside the bottleneck.
 */
export async function sharePictureStyles(tokens: Record<string, string>): Promise<string> {
  const [drawing = '', plan = ''] = await Promise.all(
    ['drawing', 'HeroPlan'].map((file) =>
      readFile(join(PROJECT_ROOT, `site/drawings/${file}.first.css`), 'utf8'),
    ),
  );
  const filled = (css: string, values: Record<string, string>) =>
    transform({
      filename: 'share.css',
      code: Buffer.from(css),
      minify: true,
      // librsvg doesn't support nested rules either.
      include: Features.Nesting,
      visitor: {
        Rule: { media: () => [] },
        Variable: ({ name: { ident } }) => {
          const raw = values[ident];
          return raw ? { raw } : undefined;
        },
      },
    }).code.toString();
  const rules = drawing + plan;
  const [, hot = ''] = drawing.split('.d-hot {');
  return filled(rules, tokens) + filled(filled(`.d-hot{${rules}}`, tokensIn(hot)), tokens);
}
