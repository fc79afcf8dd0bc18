export const write = (text: string) => void process.stdout.write(text);

/** For people, so to stderr: scripts get only data on stdout. */
export const note = (text: string) => void process.stderr.write(text);

/** What could move the cursor, change colours or reverse the reading direction. */
export const UNPRINTABLE = /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

/** What others wrote, with a mark in place of that. */
export const printable = (text: string) => text.replace(UNPRINTABLE, '\uFFFD');

/** `1 message`, `1,234 messages`. */
export const count = (number: number, what: string) =>
  `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
