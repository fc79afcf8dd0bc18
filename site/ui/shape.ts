import * as v from 'valibot';

// What content/ is checked against at build. Nothing here has side effects, so the bundler drops it from the scripts.

/** The type of some content, from its shape. */
export type Of<Shape extends v.GenericSchema> = v.InferOutput<Shape>;

/** The {places} any sentence may hold. words.ts fills them in. */
export const FACTS = ['country', 'currency', 'currencyName', 'reply', 'Count'] as const;
/** Plus the packages' figures, for sentences outside packages.ts. */
export const FIGURES = [...FACTS, 'from', 'prices', 'weeks', 'hours'] as const;

/** Text that may hold these {places} and no others. */
/* @__NO_SIDE_EFFECTS__ */
export function wordsWith(...places: string[]) {
  const help =
    places.length > 0
      ? `only {${places.join('}, {')}} can be used here`
      : 'words in braces can’t be used here';
  return v.pipe(
    v.string('must be words between quotes'),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      if (dataset.value.trim() === '') addIssue({ message: 'is empty' });
      for (const [place, name = ''] of dataset.value.matchAll(/\{(\w+)\}/g)) {
        if (!places.includes(name)) addIssue({ message: `has ${place}; ${help}` });
      }
    }),
  );
}

/** A section's text. */
export const words = wordsWith(...FIGURES);
/** Text without {places}: scripts use it as is. */
export const plainWords = wordsWith();

/* @__NO_SIDE_EFFECTS__ */
function knownCurrency() {
  const isKnown = (code: string) => Intl.supportedValuesOf('currency').includes(code);
  return v.pipe(plainWords, v.check(isKnown, 'must be the three capital letters of a currency, such as CAD'));
}
export const currency = knownCurrency();

/** Where empty quotes leave something out. */
export const wordsOrNone = /* @__PURE__ */ v.string('must be words between quotes (empty quotes are fine)');

/* @__NO_SIDE_EFFECTS__ */
export function matching(text: typeof words, pattern: RegExp, message: string) {
  return v.pipe(text, v.regex(pattern, message));
}

/**
 * Words beside a number, as the language has them: English has `one` and `other`. The names are those of
 * Intl.PluralRules; `other` stands in for a missing one.
 */
/* @__NO_SIDE_EFFECTS__ */
export function plural(text: v.GenericSchema<string>) {
  const some = v.optional(text);
  return group({ zero: some, one: some, two: some, few: some, many: some, other: text });
}
export type Plural = Of<ReturnType<typeof plural>>;

/** Exactly these fields. */
/* @__NO_SIDE_EFFECTS__ */
export function group<Fields extends v.ObjectEntries>(fields: Fields) {
  return v.strictObject(fields);
}

/** A list of `least` to `most` entries. */
/* @__NO_SIDE_EFFECTS__ */
export function list<Item extends v.GenericSchema>(
  item: Item,
  least = 0,
  most: number = Number.POSITIVE_INFINITY,
) {
  const counted = least === most ? `must have exactly ${least}` : undefined;
  return v.pipe(
    v.array(item),
    v.minLength(least, `${counted ?? `must have at least ${least}`} ${least === 1 ? 'entry' : 'entries'}`),
    v.maxLength(most, `${counted ?? `can have at most ${most}`} entries`),
  );
}

/** A list with one entry for each of these drawings. */
/* @__NO_SIDE_EFFECTS__ */
export function drawn<Name extends string>(...names: Name[]) {
  const drawing = v.picklist(names, `must be one of the drawings: ${names.join(', ')}`);
  return list(group({ drawing, title: words, text: words }), names.length, names.length);
}

/** A table beside a drawing. Each row is a label and a value. */
/* @__NO_SIDE_EFFECTS__ */
export function rows(cell: typeof words) {
  return v.array(v.strictTuple([cell, cell]));
}

/** A link to a part of the page. build/check-links.ts checks that the part exists. */
export const partLink = group({ label: plainWords, id: plainWords });
