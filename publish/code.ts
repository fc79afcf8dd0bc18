import encode from 'qr';

/** The side of a module, in CSS pixels: half a millimetre, which phones read in any light. */
const SIDE = 2;

/** A QR code, as a shape, so that nothing is loaded for it: browsers print before what only paper shows has arrived. */
export function codeStyles(address: string): string {
  const rows = encode(address, 'raw', { border: 1 });
  const runs = rows.flatMap((row, y) => {
    const signs = row.map((dark) => (dark ? '#' : ' ')).join('');
    return Array.from(signs.matchAll(/#+/g), ({ 0: { length }, index: x }) => {
      const width = length * SIDE;
      return `M${x * SIDE} ${y * SIDE}h${width}v${SIDE}h-${width}z`;
    });
  });
  return `@media print{:root{--code:${rows.length * SIDE}px;--modules:path("${runs.join('')}")}}`;
}
