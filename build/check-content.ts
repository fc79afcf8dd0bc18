import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { ROOT } from './vite.ts';

const FOLDER = 'site/content';

const words = v.pipe(
  v.string('must be words between quotes'),
  v.check((text) => text.trim() !== '', 'is empty'),
);
const optionalWords = v.string('must be words between quotes (empty quotes are fine)');
const whole = v.pipe(
  v.number('must be a plain number such as 1499, without quotes, sign or comma'),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be at least 1'),
);
const id = v.pipe(
  words,
  v.regex(/^[a-z][a-z0-9-]*$/, 'must be an id such as service-pillars: small letters and dashes'),
);
const rows = v.array(v.strictTuple([words, words]));
const link = v.strictObject({ label: words, id });
const address = v.strictObject({
  label: words,
  href: v.pipe(
    words,
    v.regex(
      /^(#|https?:\/\/\S+|\/\S*|mailto:\S+)$/,
      'must be a whole address that begins with https://, or "#" for none',
    ),
  ),
});

function list<Item extends v.GenericSchema>(item: Item, count: number) {
  return v.pipe(v.array(item), v.length(count, `must have exactly ${count} entries`));
}

function drawn<Name extends string>(names: readonly Name[]) {
  const known = `must be one of the drawings: ${names.join(', ')}`;
  return list(v.strictObject({ drawing: v.picklist(names, known), title: words, text: words }), names.length);
}

const packageFields = v.strictObject({
  stage: whole,
  price: whole,
  priceCaption: words,
  title: words,
  timeline: whole,
  effort: whole,
  purpose: words,
  features: v.pipe(v.array(words), v.minLength(1, 'must list at least one thing')),
  outcome: words,
  popular: v.boolean('must be true or false, without quotes'),
  delay: v.pipe(v.number('must be a plain number of milliseconds'), v.minValue(0, 'must not be below 0')),
});

/** What each file must export: file name → export → shape. */
const schemas: Record<string, Record<string, v.GenericSchema>> = {
  'business.ts': {
    brand: v.strictObject({ name: words }),
    replyTime: words,
    business: v.strictObject({
      country: words,
      countryCode: v.pipe(words, v.regex(/^[A-Z]{2}$/, 'must be two capital letters, such as CA')),
      serves: words,
      currency: v.pipe(words, v.regex(/^[A-Z]{3}$/, 'must be three capital letters, such as CAD')),
    }),
  },
  'site.ts': { site: v.strictObject({ language: words, title: words, description: words }) },
  'hero.ts': {
    hero: v.strictObject({
      kicker: words,
      headline: words,
      lead: words,
      seeHow: words,
      facts: v.array(words),
      drawing: words,
      titleBlock: rows,
    }),
  },
  'problems.ts': {
    problems: v.strictObject({
      heading: words,
      lead: words,
      items: drawn(['spreadsheet', 'stock', 'accountability', 'errors', 'disconnect']),
    }),
  },
  'solution.ts': {
    solution: v.strictObject({
      heading: words,
      lead: words,
      columns: list(words, 3),
      items: list(v.strictObject({ title: words, text: words }), 5),
    }),
  },
  'process.ts': {
    process: v.strictObject({
      heading: words,
      lead: words,
      steps: drawn(['diagnose', 'redesign', 'deliver']),
    }),
  },
  'pillars.ts': {
    pillars: v.strictObject({ heading: words, items: drawn(['design', 'visibility', 'enablement']) }),
  },
  'packages.ts': {
    packages: v.strictObject({
      heading: words,
      lead: words,
      sheet: words,
      popularLabel: words,
      timeline: words,
      effortLabel: words,
      effort: words,
      includedLabel: words,
      outcomeLabel: words,
      ask: words,
      items: list(packageFields, 3),
    }),
  },
  'promises.ts': {
    promises: v.strictObject({
      heading: words,
      items: list(v.strictObject({ title: words, text: words }), 4),
    }),
  },
  'founder.ts': {
    founder: v.strictObject({
      name: optionalWords,
      unnamed: words,
      heading: words,
      bio: v.pipe(v.array(words), v.minLength(1, 'must have at least one paragraph')),
      photo: words,
      portrait: words,
      titleBlock: rows,
    }),
  },
  'working-together.ts': {
    workingTogether: v.strictObject({
      heading: words,
      steps: drawn(['assess', 'redesign', 'implement', 'stabilize']),
    }),
  },
  'questions.ts': {
    questions: v.strictObject({
      heading: words,
      items: v.array(v.strictObject({ question: words, answer: words })),
    }),
  },
  'contact.ts': {
    contact: v.strictObject({
      heading: words,
      lead: words,
      emailLabel: words,
      place: words,
      privacy: v.pipe(
        words,
        v.regex(/^[^[\]]*\[[^[\]]+\][^[\]]*$/, 'must have one part in [brackets], which becomes the link'),
      ),
    }),
  },
  'contact-form.ts': {
    contactForm: v.strictObject({
      sheet: words,
      statusLabel: words,
      status: v.strictObject({ draft: words, sending: words, sent: words, failed: words }),
      fields: v.strictObject({
        name: v.strictObject({ label: words }),
        email: v.strictObject({ label: words }),
        message: v.strictObject({ label: words, hint: words }),
      }),
      button: words,
      sending: words,
      promise: words,
      trapLabel: words,
    }),
    outcomes: v.strictObject({
      failed: v.strictObject({ title: words, description: words }),
      refused: v.strictObject({ title: words }),
      sent: v.strictObject({ title: words, description: words }),
    }),
    notifications: v.strictObject({ label: words, region: words, close: words }),
  },
  'navigation.ts': {
    navigation: v.strictObject({
      label: words,
      links: v.array(link),
      callToAction: link,
      menu: v.strictObject({ button: words, open: words, close: words }),
      skipLink: words,
    }),
  },
  'scroll-to-top.ts': { scrollToTop: v.strictObject({ label: words }) },
  'footer.ts': {
    footer: v.strictObject({
      linksLabel: words,
      links: v.array(link),
      place: words,
      legal: v.strictObject({ terms: address, privacy: address }),
    }),
  },
  'error-pages.ts': {
    notFound: v.strictObject({ title: words, heading: words, text: words, back: words, drawing: words }),
    notSent: v.strictObject({ title: words, heading: words, text: words }),
  },
};

const FACTS = ['country', 'currency', 'reply'];
const FIGURES = [...FACTS, 'from', 'prices', 'weeks', 'hours'];

/** The {places} that the page fills in, by the file they may stand in; in the files of sections, all figures. */
const PLACES: Record<string, readonly string[]> = {
  'business.ts': [],
  'navigation.ts': [],
  'scroll-to-top.ts': [],
  'packages.ts': [...FACTS, 'stage', 'of', 'weeks', 'hours'],
  'founder.ts': [...FIGURES, 'name'],
  'contact-form.ts': ['reply', 'message', 'hotkey'],
};

/** @throws an Error that names every fault by file and field, in words for the page's owner */
export async function checkContent(folder: string = join(ROOT, FOLDER)): Promise<void> {
  const faults: string[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ts'))) {
    if (!schemas[file]) faults.push(`${FOLDER}/${file} is not used by any part of the page`);
  }
  for (const [file, exports] of Object.entries(schemas)) {
    const path = `${FOLDER}/${file}`;
    // The address differs each time: an owner who edits while `npm run dev` runs wants the new text checked.
    const address = `${pathToFileURL(join(folder, file)).href}?at=${performance.now()}`;
    const module = await import(address).catch((error: Error) => {
      faults.push(unreadable(path, error));
    });
    if (!module) continue;
    for (const [name, schema] of Object.entries(exports)) {
      faults.push(...faultsOf(path, name, schema, module[name]));
      faults.push(...unknownPlaces(path, name, module[name], PLACES[file] ?? FIGURES));
    }
  }
  if (faults.length > 0) {
    throw new Error(
      `The words of the page need a correction:\n\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
}

function faultsOf(path: string, name: string, schema: v.GenericSchema, value: unknown): string[] {
  const { issues = [] } = v.safeParse(schema, value);
  return issues.map((issue) => {
    const field = (issue.path ?? [])
      .map(({ key }) => (typeof key === 'number' ? `[${key + 1}]` : `.${key}`))
      .join('');
    return `${path}: ${name}${field} ${problem(issue)}`;
  });
}

/** Node puts the line, and what stands on it, before the message in the stack. */
function unreadable(path: string, error: Error): string {
  const [, line, excerpt = ''] = /^[^\n]*?:(\d+)\n([\s\S]*?)\n\s*\n/.exec(error.stack ?? '') ?? [];
  const place = line ? `${path}, near line ${line}` : path;
  return `${place}, cannot be read (${error.message}). Often a comma is missing at the end of the line before, or an apostrophe stands inside the words: write ’ there.\n${excerpt.replace(/^/gm, '    ')}`;
}

function unknownPlaces(path: string, name: string, value: unknown, known: readonly string[]): string[] {
  if (typeof value === 'string') {
    return [...value.matchAll(/\{(\w+)\}/g)]
      .filter(([, place = '']) => !known.includes(place))
      .map(([place]) => {
        const help =
          known.length > 0 ? `only {${known.join('}, {')}} can stand here` : 'nothing is filled in here';
        return `${path}: ${name} holds ${place}; ${help}`;
      });
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    unknownPlaces(
      path,
      Array.isArray(value) ? `${name}[${Number(key) + 1}]` : `${name}.${key}`,
      inner,
      known,
    ),
  );
}

function problem({ type, expected, received, message, input }: v.BaseIssue<unknown>): string {
  if (type === 'strict_object' && expected === 'never')
    return 'is not a field of the page; is its name misspelled?';
  if (input === undefined) return 'is missing';
  if (type === 'array' || type === 'strict_object' || type === 'strict_tuple') {
    return `must be ${expected === 'Array' ? 'a list' : 'a group of fields'}, but is ${received}`;
  }
  return `${message}, but is ${received}`;
}
