import encode from 'qr';

/** The side of a module, in CSS pixels: half a millimetre, which phones read in any light. */
const SIDE = 2;

/**
 * A QR code of the address, for print.css. As a shape, so that nothing is loaded for it: browsers print before what
 * only paper shows has arrived.
 */
export function codeStyles(address: string): string {
  const rows = encode(address, 'raw', { border: 1 });
  const runs = rows.flatMap((row, y) =>
    [
      ...row
        .map((dark) => (dark ? 1 : 0))
        .join('')
        .matchAll(/1+/g),
    ].map(
      ({ 0: run, index: x }) =>
        `M${x * SIDE} ${y * SIDE}h${run.length * SIDE}v${SIDE}h-${run.length * SIDE}z`,
    ),
  );
  return `@media print{:root{--code:${rows.length * SIDE}px;--modules:path("${runs.join('')}")}}`;
}
