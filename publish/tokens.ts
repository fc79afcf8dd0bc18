import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Features, transform } from 'lightningcss';
import { PROJECT_ROOT } from '../settings/settings.ts';

type Tokens = Record<string, string>;

const MEDIA = /@media (?:screen and )?\(/;

const read = (path: string) => readFileSync(join(PROJECT_ROOT, 'site', path), 'utf8');

/** Every custom property that tokens.first.css and tokens.css declare, by name, for each theme; and for more contrast. */
export function readTokens() {
  const sheets = ['tokens.first.css', 'tokens.css'].map((name) => read(`styles/${name}`));
  const light = tokensIn(sheets.map((css) => css.split(MEDIA, 1)[0]).join(''));
  const blocks = sheets.flatMap((css) => css.split(MEDIA).slice(1));
  const within = (condition: string) =>
    tokensIn(blocks.filter((block) => block.startsWith(condition)).join(''));
  const dark = { ...light, ...within('prefers-color-scheme: dark') };
  return { light, dark, more: within('prefers-contrast: more') };
}

const tokensIn = (css: string): Tokens =>
  Object.fromEntries([...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]));

/** The rules for a file of drawings, and the tokens they use. Its dark views' names end in `darkView`. */
export function drawingStyles(darkView: string): string {
  const { light, dark, more } = readTokens();
  const drawings = globSync('drawings/**/*.{css,tsx}', { cwd: join(PROJECT_ROOT, 'site') }).map(read);
  const namedIn = (text: string) => Object.keys(light).filter((name) => text.includes(`var(${name})`));
  const direct = namedIn(drawings.join('')).map((name) => light[name]);
  const used = namedIn([...drawings, ...direct].join(''));
  const set = (tokens: Tokens, names = used) => {
    const own = Object.keys(tokens).filter((name) => names.includes(name));
    return `{${own.map((name) => `${name}:${tokens[name]}`).join(';')}}`;
  };
  const darker = used.filter((name) => dark[name] !== light[name]);
  const isDark = `:root:has(:target[id$="${darkView}"])`;
  const css = [
    `:root${set(light)}`,
    `@media (prefers-color-scheme:dark){:root${set(dark, darker)}}`,
    `@media (prefers-contrast:more){:root${set(more)}}`,
    read('drawings/drawing.first.css'),
    `${isDark}${set(dark, darker)}`,
    `${isDark} .d-band${set(light, darker)}`,
  ].join('');
  return transform({ filename: 'drawing.css', code: Buffer.from(css), minify: true }).code.toString();
}

/**
 * The plan's rules for the share picture: without animation, and with custom properties replaced by their values, since
 * librsvg doesn't support them. Some have different values inside the bottleneck.
 */
export function sharePictureStyles(tokens: Tokens): string {
  const filled = (css: string, values: Tokens) =>
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
  const drawing = read('drawings/drawing.first.css');
  const rules = drawing + read('drawings/HeroPlan.first.css');
  const [, hot = ''] = drawing.split('.d-hot {');
  return filled(rules, tokens) + filled(filled(`.d-hot{${rules}}`, tokensIn(hot)), tokens);
}
