/*
 * A drafting alphabet: single strokes on a grid four wide and six high, corners cut, not curved. Drawings are loaded as
 * files, which can't use the page's fonts.
 */
import { pathData, type Stroke } from './projection.ts';

/** Glyphs as strokes of grid points: the two digits are right and up, a bar lifts the pen. */
const ALPHABET: Readonly<Record<string, string>> = {
  A: '00 04 26 44 40|02 42',
  B: '00 06 36 45 44 33 03|33 42 41 30 00',
  C: '45 36 16 05 01 10 30 41',
  D: '00 06 26 44 42 20 00',
  E: '46 06 00 40|03 33',
  F: '46 06 00|03 33',
  G: '45 36 16 05 01 10 30 41 43 23',
  H: '06 00|46 40|03 43',
  I: '06 00',
  J: '46 41 30 10 01',
  K: '06 00|46 02|13 40',
  L: '06 00 40',
  M: '00 06 23 46 40',
  N: '00 06 40 46',
  O: '01 05 16 36 45 41 30 10 01',
  P: '00 06 36 45 44 33 03',
  Q: '01 05 16 36 45 41 30 10 01|22 40',
  R: '00 06 36 45 44 33 03|23 40',
  S: '45 36 16 05 04 13 33 42 41 30 10 01',
  T: '06 46|26 20',
  U: '06 01 10 30 41 46',
  V: '06 20 46',
  W: '06 10 24 30 46',
  X: '00 46|06 40',
  Y: '06 23 46|23 20',
  Z: '06 46 00 40',
  '0': '01 05 16 36 45 41 30 10 01|11 35',
  '4': '30 36 02 42',
  '?': '05 16 36 45 44 22|20 20',
  '-': '13 33',
  '’': '26 15',
};

/** Accents, drawn over or under the letter before them. */
const MARKS: Readonly<Record<string, string>> = {
  '\u0300': '18 37', // À
  '\u0301': '17 38', // Á
  '\u0302': '17 28 37', // Â
  '\u0303': '07 18 37 48', // Ã
  '\u0304': '17 37', // Ā
  '\u0306': '18 27 38', // Ă
  '\u0307': '27 28', // Ż
  '\u0308': '17 18|37 38', // Ä
  '\u030a': '17 18 38 37 17', // Å
  '\u030b': '07 18|27 38', // Ő
  '\u030c': '18 27 38', // Č
  '\u0327': '20 2-1 1-2', // Ç
  '\u0328': '30 2-1 3-2', // Ą
};

const ADVANCE: Readonly<Record<string, number>> = { ' ': 3, I: 2 };
const advance = (letter: string) => ADVANCE[letter] ?? (MARKS[letter] ? 0 : 6);

const lettersOf = (text: string) => [...text.toUpperCase().normalize('NFD')];
const glyphOf = (letter: string) => (letter === ' ' ? '' : (ALPHABET[letter] ?? MARKS[letter]));

/** The first letter that the alphabet lacks. */
export function undrawable(text: string): string | undefined {
  return lettersOf(text).find((letter) => glyphOf(letter) === undefined);
}

/**
 * Path data for a line of lettering in grid squares, from (0, 0) at the left end of the baseline, and its width;
 * capitals reach up to -6, their accents to -8. Throws on a letter that isn't in the alphabet: a gap would be easy to miss.
 */
export function lettering(text: string): { path: string; width: number } {
  const strokes: Stroke[] = [];
  let width = 0;
  let start = 0;
  for (const letter of lettersOf(text)) {
    const glyph = glyphOf(letter);
    if (glyph === undefined) throw new Error(`The drawings have no letter “${letter}” for “${text}”.`);
    if (!MARKS[letter]) start = width;
    for (const stroke of glyph.split('|').filter(Boolean)) {
      const points = [...stroke.matchAll(/(\d)(-?\d)/g)].map(
        ([, right, up]) => [start + Number(right), -Number(up)] as const,
      );
      strokes.push({ points, closed: false });
    }
    width += advance(letter);
  }
  return { path: pathData(strokes), width };
}
