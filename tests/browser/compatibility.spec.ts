import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import bcd, { type Identifier as Feature } from '@mdn/browser-compat-data' with { type: 'json' };
import { expect, test } from '@playwright/test';
import { parseSync, Visitor } from 'vite';
import { DESIGNED } from '../../build/browsers.ts';
import { TEST_SITE } from '../support/site/test-site.ts';

/** What one of the browsers lacks that show the page as designed, and what stands in for it. */
const INSTEAD: Record<string, string> = {};

type Browser = keyof typeof DESIGNED;
type Features = (Feature | undefined)[];

const { css = {}, html = {}, api = {}, javascript = {} } = bcd as Record<string, Feature>;

const files = (pattern: string) =>
  globSync(pattern, { cwd: TEST_SITE }).map((path) => readFileSync(join(TEST_SITE, path), 'utf8'));
const pages = files('**/*.html');
const insides = (markup: string, tag: RegExp) =>
  [...markup.matchAll(new RegExp(`<${tag.source}[^>]*>(.*?)</`, 'gs'))].map(([, inside = '']) => inside);

function statements(feature: Feature | undefined, browser: Browser) {
  return [feature?.__compat?.support[browser === 'ios' ? 'safari_ios' : browser] ?? []].flat();
}

/** A prefix counts if it's written, too. */
function has(
  feature: Feature,
  browser: Browser,
  version: string,
  isWritten: (prefix: string) => boolean,
): boolean {
  const isUpTo = (other: string) =>
    other.replace('≤', '').localeCompare(version, 'en', { numeric: true }) <= 0;
  return statements(feature, browser).some(
    ({
      version_added: since,
      version_removed: until,
      prefix,
      alternative_name,
      flags,
      partial_implementation,
    }) =>
      since &&
      isUpTo(since) &&
      !(until && isUpTo(until)) &&
      !flags &&
      !partial_implementation &&
      !alternative_name &&
      (!prefix || isWritten(prefix)),
  );
}

/** Notes what a browser lacks; of several features of one name, if it lacks all of them. */
class Lacking {
  readonly found = new Map<string, Set<string>>();
  readonly #browsers: [Browser, string][];

  constructor(browsers: Record<Browser, string>) {
    this.#browsers = Object.entries(browsers) as [Browser, string][];
  }
  note(name: string, features: Features, isWritten = (_prefix: string) => false): void {
    const known = features.filter((feature) => feature !== undefined && feature.__compat !== undefined);
    if (known.length === 0) return;
    for (const [browser, version] of this.#browsers) {
      if (known.some((feature) => has(feature, browser, version, isWritten))) continue;
      this.found.set(name, (this.found.get(name) ?? new Set()).add(`${browser} ${version}`));
    }
  }
  /** What's lacking and isn't in the list, and what's in the list and isn't lacking. */
  unnamed(instead: Record<string, string>): string[] {
    const missing = [...this.found].filter(([name]) => !(name in instead));
    return [
      ...missing.map(([name, browsers]) => `${name}: not in ${[...browsers].join(', ')}`),
      ...Object.keys(instead).filter((name) => !this.found.has(name)),
    ];
  }
}

/** Minified styles without nested rules: what ends in `{` is a selector or an at-rule, all else a declaration. */
const PIECES = /((?:"[^"]*"|[^{};"])+)([{};])/g;
const UNITS: Record<string, string> = {
  svh: 'small',
  svw: 'small',
  dvh: 'dynamic',
  dvw: 'dynamic',
  lvh: 'large',
};

function inStyles(lacking: Lacking, sheets: string[]): void {
  const { properties = {}, selectors = {}, types = {}, 'at-rules': atRules = {} } = css;
  const functions = [types, ...Object.values(types)];
  const descriptors = atRules['font-face'];
  for (const sheet of sheets) {
    const isWritten = (name: string) => (prefix: string) => sheet.includes(`${prefix}${name}:`);
    for (const [, piece = '', end] of sheet.replaceAll(/\/\*.*?\*\//gs, '').matchAll(PIECES)) {
      const bare = piece.replaceAll(/"[^"]*"/g, '""').trim();
      const [, atRule] = /^@([\w-]+)/.exec(bare) ?? [];
      const [, property = '', value = ''] = /^([\w-]+)\s*:(.*)$/s.exec(bare) ?? [];
      if (atRule) {
        lacking.note(`@${atRule}`, [atRules[atRule]]);
        if (atRule === 'supports' && bare.includes('selector('))
          lacking.note('@supports selector()', [atRules.supports?.selector]);
        if (atRule !== 'media') continue;
        for (const [, feature = ''] of bare.matchAll(/\(([\w-]+)/g))
          lacking.note(`@media ${feature}`, [atRules.media?.[feature]]);
        if (/[<>]/.test(bare)) lacking.note('@media range', [atRules.media?.range_syntax]);
        // What came with `or`: what Lightning CSS makes of `<` and `>`.
        if (/\bnot \(| or /.test(bare)) lacking.note('@media not ()', [atRules.media?.or_syntax]);
      } else if (end === '{') {
        for (const [, name = ''] of bare.matchAll(/::?([a-z][\w-]*)/g))
          lacking.note(`:${name}`, [selectors[name]]);
        if (bare.includes('&')) lacking.note('&', [selectors.nesting]);
      } else {
        lacking.note(property, [properties[property], descriptors?.[property]], isWritten(property));
        for (const [, word = ''] of value.matchAll(/(?<![\w#.-])([a-z][\w-]*)/gi))
          lacking.note(`${property}: ${word}`, [
            properties[property]?.[word.replaceAll('-', '_')],
            properties[property]?.[word],
          ]);
        for (const [, name = ''] of value.matchAll(/([a-z][\w-]*)\(/gi))
          lacking.note(
            `${name}()`,
            functions.map((group) => group[name]),
          );
        for (const [, unit = ''] of value.matchAll(/(?<![\w-])[\d.]+([a-z]+)/gi))
          lacking.note(unit, [types.length?.[`viewport_percentage_units_${UNITS[unit]}`]]);
        if (property === 'content' && value.includes('/'))
          lacking.note('content: … / …', [properties.content?.alt_text]);
      }
    }
  }
}

/** Each name below some objects, with all features of that name. */
function byName(...objects: Feature[]): Map<string, Feature[]> {
  const names = new Map<string, Feature[]>();
  for (const [name, feature] of objects.flatMap((object) => Object.entries(object)))
    names.set(name, [...(names.get(name) ?? []), feature]);
  return names;
}

const MEMBERS = byName(
  ...[...Object.values(api), ...Object.values(javascript.builtins ?? {})].flatMap(
    // `Intl.DateTimeFormat` has members of its own.
    (object) => [object, ...Object.values(object)],
  ),
);
const GLOBALS = byName(api, api.Window ?? {}, javascript.builtins ?? {});
const ASKS = ['matches', 'closest', 'querySelector', 'querySelectorAll'];

function inScripts(lacking: Lacking, sources: string[]): void {
  for (const source of sources) {
    const global = (node: { type: string; name?: unknown }) => {
      if (node.type !== 'Identifier') return;
      const name = String(node.name);
      // Shorter ones are the minifier's.
      if (name.length > 3) lacking.note(name, GLOBALS.get(name) ?? []);
    };
    new Visitor({
      CallExpression({ callee, arguments: [first] }) {
        global(callee);
        if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
        const { name } = callee.property;
        lacking.note(`.${name}()`, MEMBERS.get(name) ?? []);
        if (first?.type !== 'Literal' || typeof first.value !== 'string') return;
        if (name === 'addEventListener')
          lacking.note(`on ${first.value}`, MEMBERS.get(`${first.value}_event`) ?? []);
        if (!ASKS.includes(name)) return;
        for (const [, pseudo = ''] of first.value.matchAll(/:([a-z-]+)/g))
          lacking.note(`:${pseudo}`, [css.selectors?.[pseudo]]);
      },
      NewExpression: ({ callee }) => global(callee),
      MemberExpression: ({ object }) => global(object),
      BinaryExpression: ({ right }) => global(right),
      Literal(node) {
        if ('regex' in node && /\(\?<[=!]/.test(node.regex.pattern))
          lacking.note('(?<=)', [javascript.regular_expressions?.lookbehind_assertion]);
      },
    }).visit(parseSync('script.js', source).program);
  }
}

function inMarkup(lacking: Lacking, markup: string): void {
  const { elements = {}, global_attributes: everywhere = {} } = html;
  const own = markup.replaceAll(/<(style|script|svg)\b.*?<\/\1>/gs, '');
  for (const [, tag = '', rest = ''] of own.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)/g)) {
    lacking.note(`<${tag}>`, [elements[tag]]);
    for (const [, name = '', value = ''] of rest.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)) {
      lacking.note(name, [elements[tag]?.[name], everywhere[name]]);
      lacking.note(`${name}="${value}"`, [
        elements[tag]?.[name]?.[value],
        elements[tag]?.[`${name}_${value}`],
      ]);
    }
  }
}

test('what an older browser lacks has something in its place', () => {
  const lacking = new Lacking(DESIGNED);
  inStyles(lacking, [
    ...files('assets/*.css'),
    ...[...pages, ...files('assets/**/*.svg')].flatMap((markup) => insides(markup, /style/)),
  ]);
  for (const page of pages) inMarkup(lacking, page);
  // islands.ts looks for it before anything starts.
  const [since] = statements(javascript.builtins?.Array?.at, 'chrome');
  const scripted = new Lacking({ ...DESIGNED, chrome: String(since?.version_added) });
  inScripts(scripted, [
    ...files('assets/*.js'),
    ...pages.flatMap((page) => insides(page, /script(?! type)/)),
  ]);
  for (const [name, browsers] of scripted.found) lacking.found.set(name, browsers);
  expect(lacking.unnamed(INSTEAD)).toEqual([]);
});
