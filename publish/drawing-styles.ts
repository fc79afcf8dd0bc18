import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Features, transform } from 'lightningcss';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { readTokens, tokensIn } from './tokens.ts';

const rulesOf = (name: string) => readFileSync(join(PROJECT_ROOT, `site/drawings/${name}.first.css`), 'utf8');

/**
 * What a file of drawings needs: their rules, and the tokens that they use.
 *
 * @param darkView what the name of a view in dark colours ends in
 */
export async function drawingStyles(darkView: string): Promise<string> {
  const { light, dark, more } = await readTokens();
  const paths = globSync('site/drawings/**/*.{css,tsx}', { cwd: PROJECT_ROOT });
  const drawings = paths.map((path) => readFileSync(join(PROJECT_ROOT, path), 'utf8')).join('');
  const namedIn = (text: string) => Object.keys(light).filter((name) => text.includes(`var(${name})`));
  const direct = namedIn(drawings);
  const used = new Set([...direct, ...namedIn(direct.map((name) => light[name]).join(''))]);
  const set = (tokens: Record<string, string | undefined>) => {
    const own = Object.entries(tokens).filter(([name]) => used.has(name));
    return `{${own.map((token) => token.join(':')).join(';')}}`;
  };
  const darker = Object.fromEntries(Object.entries(dark).filter(([name, value]) => value !== light[name]));
  const isDark = `:root:has(:target[id$="${darkView}"])`;
  // An inverse drawing is for a blue sheet in the light theme, and for a light one in the dark theme.
  const lighter = Object.fromEntries(Object.keys(darker).map((name) => [name, light[name]]));
  const css = [
    `:root${set(light)}`,
    `@media (prefers-color-scheme:dark){:root${set(darker)}}`,
    `@media (prefers-contrast:more){:root${set(more)}}`,
    rulesOf('drawing'),
    `${isDark}${set(darker)}`,
    `${isDark} .d-inverse${set(lighter)}`,
    `@media (prefers-color-scheme:dark){.d-root.d-inverse${set(lighter)}}`,
  ].join('');
  return transform({ filename: 'drawing.css', code: Buffer.from(css), minify: true }).code.toString();
}

/**
 * The plan's rules for the share picture: without animation, and with custom properties replaced by their values, since
 * librsvg doesn't support them. Some have different values inside the bottleneck.
 */
export function sharePictureStyles(tokens: Record<string, string>): string {
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
  const rules = rulesOf('drawing') + rulesOf('HeroPlan');
  const [, hot = ''] = rulesOf('drawing').split('.d-hot {');
  return filled(rules, tokens) + filled(filled(`.d-hot{${rules}}`, tokensIn(hot)), tokens);
}
