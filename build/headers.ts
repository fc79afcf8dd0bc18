/**
 * The headers of every answer that is a file, in the format that static hosts read. Our own server
 * reads the same file, so both say the same.
 */
export function headersFile(): string {
  const rules: [string, Record<string, string>][] = [
    [
      '/*',
      {
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'strict-origin-when-cross-origin',
      },
    ],
    // A header that several rules set holds all their values, so no rule for everything may name this one.
    ['/', { 'Cache-Control': 'no-cache' }],
    ['/assets/*', { 'Cache-Control': 'public, max-age=31536000, immutable' }],
  ];
  return rules
    .map(
      ([path, headers]) =>
        `${path}\n${Object.entries(headers)
          .map(([name, value]) => `  ${name}: ${value}\n`)
          .join('')}`,
    )
    .join('');
}
