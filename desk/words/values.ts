/** Around each text on the page of a draft, with its number among the fields. No text has these. */
export const MARK = /\ue001(\d+)\ue002|\ue003/g;
export const withMark = (at: number, text: unknown): string => `\ue001${at}\ue002${text}\ue003`;

/** What she calls an entry of a list of groups or pairs; undefined for others. */
export function entryTitle(entry: unknown): string | undefined {
  if (Array.isArray(entry)) return entry.join(' ');
  const { title, question, label, heading } = Object(entry);
  return title ?? question ?? label ?? heading;
}

export const nameOf = (entry: unknown) => entryTitle(entry) ?? entry;

/** The key of the list that a field is in, or of the outermost one, and the place there; an empty key for none. */
export function placeInList(key: string): [list: string, at: number] {
  const [, list = '', at] = /^(.*?)\.(\d+)(\.|$)/.exec(key) ?? [];
  return [list, Number(at)];
}

/** Whether a place in a list is another entry's by now. One that's gone may have another name. */
export function isTaken(at: number, names: readonly unknown[], list: readonly unknown[]): boolean {
  const are = list.map(nameOf);
  // A copy of it was there before.
  const isElsewhere = are.some((name, place) => name === names[at] && name !== names[place]);
  return are[at] !== names[at] && (isElsewhere || are.length !== names.length);
}

/** As people write it, such as 2,499 or $2 499. NaN for any other: in 1499,50 and 2.000, the sign may be either. */
export function writtenNumber(text: string): number {
  const bare = text.replace(/[$€£]/g, '').trim();
  return /^(?:\d{1,3}(?:[,\s]\d{3})+|\d+)(?:\.\d{1,2})?$/.test(bare)
    ? Number(bare.replace(/[,\s]/g, ''))
    : Number.NaN;
}
