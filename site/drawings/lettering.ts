/*
 * A drafting alphabet with just the letters the drawings use: single strokes on a grid four wide and six high,
 * corners cut, not curved. Drawings are loaded as files, which can't use the page's fonts.
 */
import { pathData, type Stroke } from './projection.ts';

/** Glyphs as strokes of grid points: the two digits are right and up, a bar lifts the pen. */
export const ALPHABET: Readonly<Record<string, string>> = {
  A: '00 04 26 44 40|02 42',
  C: '45 36 16 05 01 10 30 41',
  D: '00 06 26 44 42 20 00',
  E: '46 06 00 40|03 33',
  G: '45 36 16 05 01 10 30 41 43 23',
  H: '06 00|46 40|03 43',
  I: '06 00',
  K: '06 00|46 02|13 40',
  L: '06 00 40',
  N: '00 06 40 46',
  O: '01 05 16 36 45 41 30 10 01',
  P: '00 06 36 45 44 33 03',
  R: '00 06 36 45 44 33 03|23 40',
  S: '45 36 16 05 04 13 33 42 41 30 10 01',
  T: '06 46|26 20',
  W: '06 10 24 30 46',
  '0': '01 05 16 36 45 41 30 10 01|11 35',
  '4': '30 36 02 42',
  '?': '05 16 36 45 44 22|20 20',
};

const ADVANCE: Readonly<Record<string, number>> = { ' ': 3, I: 2 };
const advance = (letter: string) => ADVANCE[letter] ?? 6;

/**
 * Path data for a line of lettering in grid squares, from (0, 0) at the left end of the baseline; capitals
 * reach up to -6. Throws on a letter that's not in the alphabet: a gap would be easy to miss.
 */
export function lettering(text: string): string {
  const strokes: Stroke[] = [];
  let left = 0;
  for (const letter of text) {
    const glyph = letter === ' ' ? '' : ALPHABET[letter];
    if (glyph === undefined) throw new Error(`The drafting alphabet has no “${letter}”.`);
    for (const stroke of glyph.split('|').filter(Boolean)) {
      const points = stroke.split(' ').map((pair) => [left + Number(pair[0]), -Number(pair[1])] as const);
      strokes.push({ points, closed: false });
    }
    left += advance(letter);
  }
  return pathData(strokes);
}
