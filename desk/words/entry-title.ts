/** What she calls an entry of a list of groups or pairs; undefined for others. */
export function entryTitle(entry: unknown): string | undefined {
  if (Array.isArray(entry)) return entry.join(' ');
  const { title, question, label, heading } = Object(entry);
  return title ?? question ?? label ?? heading;
}
