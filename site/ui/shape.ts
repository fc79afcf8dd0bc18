import * as v from 'valibot';
import { undrawable } from '../drawings/lettering.ts';

// What content/ is checked against when it's published, and what the desk says about each field.

export type Of<Shape extends v.GenericSchema> = v.InferOutput<Shape>;

/** What a form needs to know about a field besides its title and its rules. */
interface Traits {
  /** What a number counts; `currency` is that of business.ts. */
  readonly unit?: 'currency' | 'weeks' | 'hours';
  /** A code that an owner never edits: ids of links, names of drawings. */
  readonly fixed?: true;
  /** How many entries a list may have. */
  readonly least?: number;
  readonly most?: number;
  /** What it takes, as the end of “It …”. */
  readonly rule?: string;
}

/** Makes fields or parts of one shape, each with its name for the owner and, if given, a word of help. */
export function fieldOf<Shape extends v.GenericSchema>(shape: Shape) {
  return (title?: string, help = '') =>
    title === undefined ? shape : v.pipe(shape, v.title(title), v.description(help));
}

/** What a field is called: its title, or else its name in words. */
export function titleOf(name: string, shape: v.GenericSchema): string {
  const inWords = name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return v.getTitle(shape) ?? inWords.charAt(0).toUpperCase() + inWords.slice(1);
}

export const traitsOf = (shape: v.GenericSchema): Traits => v.getMetadata(shape);

/** The {places} any sentence may hold. words.ts fills them in. */
export const FACTS = ['country', 'currency', 'currencyName', 'reply', 'Count'] as const;
/** Plus the packages' figures, for sentences outside packages.ts. */
export const FIGURES = [...FACTS, 'from', 'prices', 'weeks', 'hours'] as const;

type Text = (title?: string, help?: string) => v.GenericSchema<string>;

/** Text that may hold these {places} and no others. */
export function wordsWith(...places: string[]): Text {
  const help =
    places.length > 0
      ? `only {${places.join('}, {')}} can be used here`
      : 'words in braces can’t be used here';
  const check = v.rawCheck<string>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    if (dataset.value.trim() === '') addIssue({ message: 'is empty' });
    for (const [place] of dataset.value.matchAll(/\{[^{}]*\}?|\}/g))
      if (!places.some((one) => place === `{${one}}`)) addIssue({ message: `has ${place}; ${help}` });
  });
  return fieldOf(v.pipe(v.string('must be text'), check));
}

/** Text that may hold the page's facts and figures, and these. */
export const wordsAnd = (...places: string[]) => wordsWith(...FIGURES, ...places);
export const words = wordsAnd();
/** Text without {places}: scripts use it as is. */
export const plain = wordsWith();

export const currency = fieldOf(
  v.pipe(
    plain(),
    v.check(
      (code) => Intl.supportedValuesOf('currency').includes(code),
      'isn’t a currency code: it takes three letters, such as CAD',
    ),
  ),
);

/** Where an empty text leaves something out. */
export const wordsOrNone = fieldOf(v.string('must be text, or empty'));

export const lettering = v.pipe(
  wordsOrNone(),
  v.check(
    (text) => undrawable(text) === undefined,
    ({ input }) =>
      `has “${undrawable(input)}”, but the drawings only have A to Z and their accents; leave it empty to leave it out`,
  ),
);

/** Short words in a drawing, in any letters. */
export const inDrawing = fieldOf(
  v.pipe(plain(), v.maxLength(20, 'can have 20 characters at most, to fit the drawing')),
);

/** A number that counts something, such as this one. */
export function count(unit: 'currency' | 'weeks' | 'hours', most: number, such: number) {
  const message = `must be a whole number from 1 to ${most.toLocaleString('en')}, such as ${such}`;
  return fieldOf(
    v.pipe(
      v.number(message),
      v.integer(message),
      v.minValue(1, message),
      v.maxValue(most, message),
      v.metadata({ unit }),
    ),
  );
}

export function matching(text: Text, pattern: RegExp, message: string) {
  return fieldOf(v.pipe(text(), v.regex(pattern, message), v.metadata({ rule: message })));
}

/** Words beside a number, by the names of Intl.PluralRules; `other` stands in for a missing one. */
export function plural(text: Text) {
  const some = v.optional(text());
  return fieldOf(group({ zero: some, one: some, two: some, few: some, many: some, other: text() }));
}
export type Plural = Of<ReturnType<ReturnType<typeof plural>>>;

export const flag = fieldOf(v.boolean('must be true or false'));

export const group = <Fields extends v.ObjectEntries>(fields: Fields) => v.strictObject(fields);

/** A labelled group of exactly these fields. */
export function named<Fields extends v.ObjectEntries>(
  title: string,
  ...about: [fields: Fields] | [help: string, fields: Fields]
) {
  const [fields, help] = about.toReversed() as [Fields, string?];
  return fieldOf(group(fields))(title, help);
}

export function list<Item extends v.GenericSchema>(item: Item, least = 0, most = 99) {
  const counted = least === most ? `must have exactly ${least}` : undefined;
  return fieldOf(
    v.pipe(
      v.array(item),
      v.minLength(least, `${counted ?? `must have at least ${least}`} ${least === 1 ? 'entry' : 'entries'}`),
      v.maxLength(most, `${counted ?? `can have at most ${most}`} entries`),
      v.metadata({ least, most }),
    ),
  );
}

function oneOf<Name extends string>(names: readonly Name[], what: string) {
  return v.pipe(v.picklist(names, `must be ${what}: ${names.join(', ')}`), v.metadata({ fixed: true }));
}

/** A list with one entry for each of these drawings. */
export function drawn<Name extends string>(names: Name[]) {
  const drawing = oneOf(names, 'one of the drawings');
  return list(group({ drawing, title: words(), text: words() }), names.length, names.length);
}

/** A table beside a drawing. Each row is a label and a value. */
export function rows(cell: Text) {
  return list(v.strictTuple([cell('Label'), cell('Value')]));
}

/** The parts of the page that links may lead to, by their ids. If one is missing here, TypeScript flags each link to it. */
const PARTS = [
  'hero-banner',
  'process-overview',
  'service-pillars',
  'blueprint-journey',
  'about-founder',
  'work-together',
  'lets-map-your-blueprint',
] as const;

export const partLink = fieldOf(group({ label: plain('Link text'), id: oneOf(PARTS, 'the id of a part') }));
