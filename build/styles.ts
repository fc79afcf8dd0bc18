import {
  type Declaration,
  type Selector,
  type TransformOptions,
  transform,
  type Visitor,
} from 'lightningcss';

/** Class and animation names of CSS modules as the build first writes them: recognisable in any text. */
export const MODULE_NAMES = 'm_[hash]_[local]_m';
const MODULE_NAME = /m_[\w-]+?_[A-Za-z][\w-]*?_m(?![\w-])/g;

/** No prefixes or detours for browsers from before the summer of 2024; they lose finish, not content. */
const TARGETS = {
  chrome: 125 << 16,
  firefox: 128 << 16,
  safari: (17 << 16) | (5 << 8),
  ios_saf: (17 << 16) | (5 << 8),
};

/**
 * What the first view can do without, in CSS that is minified and not nested: paper, a visitor's own colours
 * and rest, what moves while one scrolls, where transitions begin, and the menu's two buttons for browsers without scripts, which get the
 * later file from a `<noscript>`.
 */
const FOR_LATER = new RegExp(
  [
    String.raw`@starting-style\{RULES\}`,
    String.raw`@media (?:print|\(forced-colors:active\)|\(prefers-reduced-motion:reduce\)|[^{,]*\(scripting:none\))\{RULES\}`,
    String.raw`@media \(prefers-reduced-motion:no-preference\)\{@supports[^{}]*\{RULES\}\}`,
  ]
    .join('|')
    .replaceAll('RULES', String.raw`(?:[^{}]|\{[^{}]*\})*`),
  'g',
);

/** All that a page says is in `html`; what it is dressed in comes out of here. */
export interface Styles {
  /** For the head of a page: what its own markup uses. */
  inlineFor(html: string): string;
  /** For the printer, and what no page shows before its scripts run: one file, fetched last. */
  later: string;
}

/**
 * Divides all styles between the heads of the pages and one later file, and makes them small, since a
 * page has to fit one network flight.
 *
 * @param css all styles for screens
 * @param afterwards those for paper, inside `@media print`, and for what may begin later
 * @param html the markup of all pages
 * @param first that of the page that has to fit
 * @param scripts custom properties that occur in here keep their names
 */
export function divideStyles(
  css: string,
  afterwards: string,
  { html, first, scripts }: { html: string; first: string; scripts: string },
): Styles {
  const [all, rest] = shortenProperties([small(physical(css)), small(physical(afterwards))], html + scripts);
  const screen = splitTransitions(all.replace(FOR_LATER, ''));
  const now = small(screen, { visitor: keep('now', html) });
  const rules = [small(screen, { visitor: keep('later', html) }), ...(all.match(FOR_LATER) ?? []), rest].join(
    '',
  );
  const usedOn = (page: string) => {
    const used = classesIn(page);
    const unusedSymbols = [...classesOf(now)].filter((name) => !used.has(name));
    return withoutIdleAnimations(small(now, { unusedSymbols }));
  };
  const inFirst = tokensRead(usedOn(first) + first);
  const inLater = tokensRead(rules);
  const late = inLater.difference(inFirst);
  const later = withoutIdleAnimations(small(onlyTokens(now, late) + rules));
  return {
    later,
    inlineFor(page) {
      const used = usedOn(page);
      const read = tokensRead(used + page).union(inLater.difference(late));
      return small(used.replace(TOKEN, (declaration, name: string) => (read.has(name) ? declaration : '')));
    },
  };
}

/** Gives every name of a CSS module one or two letters, the same in styles, markup and scripts. */
export function shortenModuleNames(css: string): (text: string) => string {
  const names = shortest(classesOf(css));
  const short = new Map<string, string>();
  for (const [name] of css.matchAll(MODULE_NAME)) {
    if (!short.has(name)) short.set(name, names.next().value);
  }
  return (text) => text.replace(MODULE_NAME, (name) => short.get(name) ?? name);
}

/** a … z, A … Z, aa, ba …, without those that are taken. */
function* shortest(taken: ReadonlySet<string>): Generator<string, never> {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  for (let number = 0; ; number += 1) {
    const more = letters[Math.floor(number / letters.length) - 1] ?? '';
    const name = `${letters[number % letters.length]}${more}`;
    if (!taken.has(name)) yield name;
  }
}

function small(css: string, more: Partial<TransformOptions<Record<string, never>>> = {}): string {
  const code = Buffer.from(css);
  const result = transform({ filename: 'page.css', code, minify: true, targets: TARGETS, ...more });
  return (
    result.code
      .toString()
      // The older spelling packs better, since some queries have no newer one.
      .replace(/\(width>=/g, '(min-width:')
      // Each pass adds it once more, for browsers from before those that are aimed at.
      .replace(/-webkit-text-decoration-color:[^;}]*;/g, '')
      // What reads a custom property is left as it was typed.
      .replace(/"[^"]*"|(?<=[,/]) | (?=\/)/g, (text) => text.trim())
  );
}

const SIDES = { 'inline-start': 'left', 'inline-end': 'right', 'block-start': 'top', 'block-end': 'bottom' };

/** The page is written from left to right; one name for each property packs better than two. */
function physical(css: string): string {
  return css
    .replace(/\binline-size\b/g, 'width')
    .replace(/\bblock-size\b/g, 'height')
    .replace(
      /\b(inset-|(?:margin|padding|border)-)(inline-start|inline-end|block-start|block-end)\b/g,
      (_, property: string, side: keyof typeof SIDES) => property.replace('inset-', '') + SIDES[side],
    );
}

/** Puts the value of tokens that never change where they are read, and shortens the names of the others. */
function shortenProperties(sheets: [string, string], elsewhere: string): [string, string] {
  const all = sheets.join('');
  const declared = [...all.matchAll(/(--[\w-]+):([^;}]*)/g)].map(([, name = '', value = '']) => ({
    name,
    value,
  }));
  const isFree = (name: string) => !elsewhere.includes(name);
  const times = Map.groupBy(declared, ({ name }) => name);
  const root = /:root\{[^}]*\}/.exec(all)?.[0] ?? '';
  // Not in `font`: Lightning CSS puts one that it understands after the declarations that refine it.
  const constants = declared.filter(
    ({ name }) =>
      isFree(name) &&
      times.get(name)?.length === 1 &&
      root.includes(`${name}:`) &&
      !new RegExp(`[;{]font:[^;}]*var\\(${name}\\)`).test(all),
  );
  const names = shortest(new Set());
  const short = new Map<string, string>();
  const change = (sheet: string) => {
    let text = sheet;
    // Twice: the value of one may read another.
    for (const { name, value } of [...constants, ...constants]) text = text.replaceAll(`var(${name})`, value);
    for (const { name } of constants) text = text.replace(new RegExp(`${name}:[^;}]*;?`), '');
    return text.replace(/--[A-Za-z][\w-]*/g, (name) => {
      if (!isFree(name)) return name;
      if (!short.has(name)) short.set(name, `--${names.next().value}`);
      return short.get(name) ?? name;
    });
  };
  return [change(sheets[0]), change(sheets[1])];
}

/**
 * Whether nothing fits a selector in the first moments: it asks for a class, or for an attribute that
 * scripts set, which no page has from the start, for a field that was filled in wrongly, or to be pointed at.
 */
function isForLater(selector: Selector, html: string, shown: ReadonlySet<string>): boolean {
  return selector.some((part) => {
    if (part.type === 'class') return !shown.has(part.name);
    if (part.type === 'attribute') {
      const value = part.operation?.operator === 'equal' ? `"${part.operation.value}"` : '';
      return /^(data|aria)-/.test(part.name) && !html.includes(` ${part.name}=${value}`);
    }
    if (part.type !== 'pseudo-class') return false;
    if (part.kind === 'hover' || part.kind === 'active') return true;
    if (part.kind === 'has') return JSON.stringify(part.selectors).includes('user-invalid');
    if (part.kind !== 'is') return false;
    return part.selectors.every((choice) => isForLater(choice, html, shown));
  });
}

/** A visitor that keeps the rules for later, or those for now. */
function keep(when: 'now' | 'later', html: string): Visitor<Record<string, never>> {
  const shown = classesIn(html);
  return {
    Rule: {
      style: ({ value: { selectors, declarations } }) => {
        const plain = declarations?.declarations ?? [];
        const later =
          (plain.length > 0 && plain.every(isTransition)) ||
          selectors.every((selector) => isForLater(selector, html, shown));
        return later === (when === 'later') ? undefined : [];
      },
    },
  };
}

/** Nothing glides in the first moments, so a rule's transitions become one of their own. */
function splitTransitions(css: string): string {
  return css.replace(/([^{}]+)\{([^{}]*)\}/g, (rule, selector: string, body: string) => {
    const [gliding, still] = partition(body.split(';'), (text) => text.startsWith('transition'));
    return gliding.length > 0 ? `${selector}{${still.join(';')}}${selector}{${gliding.join(';')}}` : rule;
  });
}

function partition<Item>(items: Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

function isTransition({ property, value }: Declaration): boolean {
  // With a custom property inside, it arrives unparsed.
  const name = property === 'unparsed' ? value.propertyId.property : property;
  return name.startsWith('transition');
}

function withoutIdleAnimations(css: string): string {
  const names = [...css.matchAll(/@keyframes ([\w-]+)/g)].map(([, name = '']) => name);
  const idle = names.filter((name) => {
    const isNamed = new RegExp(`animation(-name)?:[^;}]*(?<![\\w-])${name}(?![\\w-])`);
    return !isNamed.test(css);
  });
  return small(css, { unusedSymbols: idle });
}

const TOKEN = /(--[\w-]+):[^;}]*;?/g;

function tokensRead(text: string): Set<string> {
  return new Set([...text.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name));
}

/** The blocks that give tokens their values, for either theme, with those alone that are wanted. */
function onlyTokens(css: string, wanted: ReadonlySet<string>): string {
  const blocks = css.match(/(?:@media[^{}]*\{)?:root\{[^{}]*\}\}?/g) ?? [];
  return blocks
    .map((block) =>
      block.replace(/(?<=[{;])([\w-]+):[^;}]*;?/g, (declaration, name: string) =>
        wanted.has(name) ? declaration : '',
      ),
    )
    .join('');
}

function classesIn(html: string): Set<string> {
  return new Set([...html.matchAll(/\sclass="([^"]*)"/g)].flatMap(([, names = '']) => names.split(/\s+/)));
}

function classesOf(css: string): Set<string> {
  return new Set([...css.matchAll(/\.([A-Za-z][\w-]*)/g)].map(([, name = '']) => name));
}
