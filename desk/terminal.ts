import { styleText } from 'node:util';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** `styleText` leaves out colours without a terminal, and with NO_COLOR. */
export const bold = (text: string): string => styleText('bold', text);
export const dim = (text: string): string => styleText('dim', text);
export const warm = (text: string): string => styleText('yellow', text);
export const loud = (text: string): string => styleText(['bold', 'red'], text);

const NARROWEST = 40;
/** Longer lines are hard to read. Also the width for files and pipes. */
const WIDEST = 100;

export function lineWidth(): number {
  return Math.min(Math.max(process.stdout.columns || WIDEST, NARROWEST), WIDEST);
}

export function write(text: string): void {
  process.stdout.write(text);
}

/** For people, so to stderr: scripts get only data on stdout. */
export function note(text: string): void {
  process.stderr.write(text);
}

/**
 * A visitor's text, with a mark in place of each character that could move the cursor, change colours or reverse the
 * reading direction.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\t', '    ')
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(/(?!\n)\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

/**
 * A visitor's text on one line, with at most eight combining marks per letter: no script needs more, and thousands
 * would cover the lines around it.
 */
export function oneLine(text: string): string {
  return printable(text)
    .replace(/(\p{M}{8})\p{M}+/gu, '$1')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** In columns: East Asian characters and emoji take two. */
export const width = stringWidth;

export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

export function wrap(text: string, columns: number): string {
  return wrapAnsi(text, columns, { hard: true, trim: false }).replace(/ +$/gm, '');
}

/** `1 message`, `1,234 messages`. */
export function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}

export function json(value: unknown): string {
  return `${escapeControls(JSON.stringify(value, null, 2))}\n`;
}

/** Makes JSON safe to show on a terminal: escapes what `printable` replaces. Any JSON parser undoes that. */
export function escapeControls(text: string): string {
  return text.replace(
    /(?!\n)\p{Cc}|[\u2028-\u202E\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
