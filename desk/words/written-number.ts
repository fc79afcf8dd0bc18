/** As people write it, such as 2,499 or $2 499. NaN for any other: in 1499,50, the comma may be a decimal one. */
export function writtenNumber(text: string): number {
  const bare = text.replace(/[$€£]/g, '').trim();
  return /^(?:\d{1,3}(?:[,\s]\d{3})+|\d+)(?:\.\d+)?$/.test(bare)
    ? Number(bare.replace(/[,\s]/g, ''))
    : Number.NaN;
}
