/**
 * A number as people write it, such as 2,499 or $2 499; NaN for anything else. A comma or space before exactly three
 * digits groups them. Any other may be a decimal comma, so 1499,50 isn't taken for 149,950.
 */
export function writtenNumber(text: string): number {
  const bare = text.replace(/[$€£]/g, '').trim();
  return /^(?:\d{1,3}(?:[,\s]\d{3})+|\d+)(?:\.\d+)?$/.test(bare)
    ? Number(bare.replace(/[,\s]/g, ''))
    : Number.NaN;
}
