export const write = (text: string) => void process.stdout.write(text);

/** For people, so to stderr: scripts get only data on stdout. */
export const note = (text: string) => void process.stderr.write(text);

/** Does what takes long, and says on a terminal that it does; nothing goes into a pipe or a file. */
export async function saying<T>(what: string, work: () => Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work();
  note(`${what} …`);
  return work().finally(() => note('\r\x1b[K'));
}

/** A visitor's text, with a mark in place of what could move the cursor, change colours or reverse the reading direction. */
export function printable(text: string): string {
  return text
    .replaceAll('\t', '    ')
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(/(?!\n)\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

/** On one line, with eight combining marks per letter at most: no script needs more, and thousands would cover other lines. */
export function oneLine(text: string): string {
  return printable(text)
    .replace(/(\p{M}{8})\p{M}+/gu, '$1')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** `1 message`, `1,234 messages`. */
export const count = (number: number, what: string) =>
  `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;

/** JSON that's safe to show on a terminal: escapes what `printable` replaces. Any JSON parser undoes that. */
export const json = (value: unknown, indent = 2) =>
  JSON.stringify(value, null, indent).replace(
    /(?!\n)\p{Cc}|[\u2028-\u202E\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
