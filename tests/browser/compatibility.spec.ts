import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import bcd from '@mdn/browser-compat-data' with { type: 'json' };
import type { BrowserName, Identifier as Feature } from '@mdn/browser-compat-data';
import { expect, test } from '@playwright/test';
import { parseSync, Visitor } from 'vite';
import { DESIGNED } from '../../publish/browsers.ts';
import { FOR_DESK } from '../../publish/program.ts';
import { TEST_SITE } from '../support/site/test-site.ts';

/** What's missing in some browser that shows the page as designed, and what stands in for it there. */
const INSTEAD: Record<string, string> = {
  'popover, :popover-open, hidePopover(), @media (scripting)': 'a menu of our own, by a script, or none',
  ':has, :user-invalid': 'an attribute on what’s around it, by a script or the server',
  'overflow: clip, overflow-x: clip': 'overflow: hidden',
  'content: … / …': 'the same text, which screen readers say as well',
  'text-wrap': 'lines end where they’re full',
  'grid-template-columns: subgrid': 'the scale of hours begins near the column of what’s included',
  'field-sizing': 'four lines that scroll, or are pulled larger',
  'animation-timeline, animation-range, timeline-scope, view-timeline, view-timeline-inset':
    'nothing moves while one scrolls, and the strip of spots comes once all of the plan is gone',
  '@starting-style, interpolate-size, :details-content': 'what opens is there at once',
  'anchor-name, top: anchor, bottom: anchor, anchor()': 'a place by the height of the window',
  'overscroll-behavior': 'the page below may scroll along',
  outline: 'square corners of what has the focus',
  'ascent-override, descent-override, size-adjust': 'lines may change with the typeface',
  '@page, break-after: avoid': 'margins and ends of sheets as the browser has them',
  'print-color-adjust: exact': 'the same with a prefix',
  '@media (forced-colors), forced-color-adjust, cursor: pointer, resize':
    'nothing: there are no forced colours, pointers or handles there',
  'share()': 'the link is copied',
  'view-transition-name, :view-transition-group, :view-transition-old, :view-transition-new':
    'the receipt is there at once',
  'hyphenate-limit-chars, -webkit-hyphenate-limit-before, -webkit-hyphenate-limit-after':
    'shorter words break, too, where a page isn’t in English',
  'navigation, navigate(), startViewTransition(), skipTransition()': 'it’s looked for before it’s used',
  'use(), createContext(), fetch()': 'nothing: it’s a library’s own, of that name',
};

const INSTEAD_ON_THE_DESK: Record<string, string> = {
  ':has': 'fields that aren’t asked for stand there, too, and a drawing below its words',
  'white-space-collapse': 'spaces are kept while one types',
  'accent-color, cursor: default, cursor: pointer, field-sizing, outline, text-wrap':
    'the browser’s own colours, sizes, corners, pointers and line ends',
  'overscroll-behavior': 'the page below may scroll along',
  '@media not (…), hyphenate-limit-chars, -webkit-hyphenate-limit-before, -webkit-hyphenate-limit-after':
    'nothing: it’s for the page, with whose styles the desk’s begin',
  'use()': 'nothing: it’s a method of our own, of that name',
};

const files = (pattern: string, folder = TEST_SITE) =>
  globSync(pattern, { cwd: folder }).map((path) => readFileSync(join(folder, path), 'utf8'));
const insides = (markup: string, tag: string) =>
  [...markup.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</`, 'gs'))].map(([, inside = '']) => inside);

const below = (feature: Feature | undefined) =>
  Object.entries(feature ?? {}).filter((one): one is [string, Feature] => one[0] !== '__compat');

function byName(objects: (Feature | undefined)[]): Map<string, Feature[]> {
  const named = Map.groupBy(objects.flatMap(below), ([key]) => key.replace(/_static$/, ''));
  return new Map([...named].map(([name, all]) => [name, all.map(([, feature]) => feature)]));
}

const statements = (feature: Feature | undefined, browser: BrowserName) =>
  [feature?.__compat?.support[browser] ?? []].flat();

const isUpTo = (version: string, other: string | false | undefined) =>
  other && other.replace('≤', '').localeCompare(version, 'en', { numeric: true }) <= 0;

function lookUp({ ios, ...others }: typeof DESIGNED) {
  const browsers = Object.entries({ ...others, safari_ios: ios }) as [BrowserName, string][];
  const found = new Map<string, string[]>();
  return {
    found,
    /**
     * Several features of one name, such as a method of several objects, are only lacking if all are. What a browser has
     * only with a prefix must be written with it.
     */
    use(name: string, features: (Feature | undefined)[], isWritten = (_prefix: string) => false): void {
      const known = features.filter((feature) => feature?.__compat);
      const without = browsers.filter(([browser, version]) => {
        const all = known.flatMap((feature) => statements(feature, browser));
        return !all.some(
          ({ version_added, version_removed, prefix, ...limits }) =>
            isUpTo(version, version_added) &&
            !isUpTo(version, version_removed) &&
            !(limits.alternative_name || limits.flags || limits.partial_implementation) &&
            (!prefix || isWritten(prefix)),
        );
      });
      if (known.length > 0 && without.length > 0) found.set(name, without.flat());
    },
  };
}
type Lacking = ReturnType<typeof lookUp>;

/** Of minified styles without nested rules: what ends in `{` is a selector or an at-rule, all else a declaration. */
const PIECES = /((?:"[^"]*"|[^{};"])+)([{};])/g;

function lookAtStyles(sheet: string, lacking: Lacking): void {
  const { properties, selectors, types, 'at-rules': atRules } = bcd.css;
  const functions = byName([types, ...below(types).map(([, type]) => type)]);
  for (const [, piece = '', end] of sheet.replaceAll(/\/\*.*?\*\//gs, '').matchAll(PIECES)) {
    const code = piece.replaceAll(/"[^"]*"/g, '""').trim();
    const all = (pattern: RegExp, text = code) => [...text.matchAll(pattern)].map(([, name = '']) => name);
    const [atRule] = all(/^@([\w-]+)/g);
    const [, property = '', value = ''] = /^([\w-]+):(.*)$/s.exec(code) ?? [];
    if (atRule) {
      lacking.use(`@${atRule}`, [atRules?.[atRule]]);
      if (atRule !== 'media') continue;
      for (const name of all(/\(([\w-]+)/g)) lacking.use(`@media (${name})`, [atRules?.media?.[name]]);
      if (/[<>]/.test(code)) lacking.use('@media (… < …)', [atRules?.media?.range_syntax]);
      // Browsers got both at once.
      if (/\bnot \(| or /.test(code)) lacking.use('@media not (…)', [atRules?.media?.or_syntax]);
    } else if (end === '{') {
      for (const name of all(/::?([a-z][\w-]*)/g)) lacking.use(`:${name}`, [selectors?.[name]]);
    } else {
      const isWritten = (prefix: string) => sheet.includes(`${prefix}${property}:`);
      lacking.use(property, [properties?.[property], atRules?.['font-face']?.[property]], isWritten);
      // A missing property's values don't matter.
      if (lacking.found.has(property)) continue;
      for (const word of all(/(?<![\w#.-])([a-z][\w-]*)/gi, value))
        lacking.use(`${property}: ${word}`, [properties?.[property]?.[word]], isWritten);
      for (const name of all(/([a-z][\w-]*)\(/gi, value)) lacking.use(`${name}()`, functions.get(name) ?? []);
      if (property === 'content' && value.includes('/'))
        lacking.use('content: … / …', [properties?.content?.alt_text]);
    }
  }
}

const OBJECTS = [...below(bcd.api), ...below(bcd.javascript.builtins)].map(([, object]) => object);
// `Intl.DateTimeFormat` and the like have members of their own.
const MEMBERS = byName([...OBJECTS, ...below(bcd.javascript.builtins?.Intl).map(([, object]) => object)]);
const GLOBALS = byName([bcd.api, bcd.api.Window, bcd.javascript.builtins]);
const ASKING = ['matches', 'closest', 'querySelector', 'querySelectorAll'];

function lookAtScript(code: string, lacking: Lacking): void {
  const global = (node: { type: string; name?: unknown }) => {
    // A shorter name is the minifier's.
    if (node.type !== 'Identifier' || typeof node.name !== 'string' || node.name.length < 3) return;
    lacking.use(node.name, GLOBALS.get(node.name) ?? []);
  };
  new Visitor({
    NewExpression: ({ callee }) => global(callee),
    MemberExpression: ({ object }) => global(object),
    BinaryExpression: ({ right }) => global(right),
    CallExpression({ callee, arguments: [first] }) {
      global(callee);
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      const { name } = callee.property;
      lacking.use(`${name}()`, MEMBERS.get(name) ?? []);
      if (first?.type !== 'Literal' || typeof first.value !== 'string') return;
      if (name === 'addEventListener') lacking.use(first.value, MEMBERS.get(`${first.value}_event`) ?? []);
      if (!ASKING.includes(name)) return;
      for (const [, pseudo = ''] of first.value.matchAll(/:([a-z-]+)/g))
        lacking.use(`:${pseudo}`, [bcd.css.selectors?.[pseudo]]);
    },
    Literal(node) {
      if ('regex' in node && /\(\?<[=!]/.test(node.regex.pattern))
        lacking.use('(?<=)', [bcd.javascript.regular_expressions?.lookbehind_assertion]);
    },
  }).visit(parseSync('script.js', code).program);
}

function lookAtMarkup(page: string, lacking: Lacking): void {
  const { elements, global_attributes: everywhere } = bcd.html;
  const own = page.replaceAll(/<(style|script|svg)\b.*?<\/\1>/gs, '');
  for (const [, tag = '', rest = ''] of own.matchAll(/<([a-z]+)((?:\s+[\w-]+(?:="[^"]*")?)*)/gi)) {
    lacking.use(`<${tag}>`, [elements?.[tag]]);
    for (const [, name = '', value = ''] of rest.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)) {
      lacking.use(name, [elements?.[tag]?.[name], everywhere?.[name]]);
      if (name === 'type') lacking.use(`type="${value}"`, [elements?.[tag]?.[`type_${value}`]]);
    }
  }
}

test('what an older browser lacks has a replacement there', () => {
  const pages = files('**/*.html');
  const lacking = lookUp(DESIGNED);
  for (const page of pages) lookAtMarkup(page, lacking);
  const drawings = [...pages, ...files('assets/**/*.svg')].flatMap((markup) => insides(markup, 'style'));
  for (const sheet of [...files('assets/*.css'), ...drawings]) lookAtStyles(sheet, lacking);
  // Nothing starts without it.
  const [at] = statements(bcd.javascript.builtins?.Array?.at, 'chrome');
  const whereScriptsRun = lookUp({ ...DESIGNED, chrome: String(at?.version_added) });
  const inline = pages.flatMap((page) => insides(page, 'script(?! type)'));
  for (const code of [...files('assets/*.js'), ...inline]) lookAtScript(code, whereScriptsRun);

  expectNamed(new Map([...lacking.found, ...whereScriptsRun.found]), INSTEAD);
});

test('the desk works without what an older browser lacks', () => {
  const lacking = lookUp(DESIGNED);
  for (const code of files('*.js', FOR_DESK)) lookAtScript(code, lacking);
  for (const sheet of files('*.css', FOR_DESK)) lookAtStyles(sheet, lacking);
  expectNamed(lacking.found, INSTEAD_ON_THE_DESK);
});

function expectNamed(found: Map<string, string[]>, instead: Record<string, string>): void {
  const named = Object.keys(instead).flatMap((names) => names.split(', '));
  const unnamed = [...found].filter(([name]) => !named.includes(name));
  expect(unnamed).toEqual([]);
  const gone = named.filter((name) => !found.has(name));
  expect(gone, 'no longer used').toEqual([]);
}
