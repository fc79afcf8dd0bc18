import { createHash } from 'node:crypto';

/**
 * What a page may load and do; `default-src 'none'` refuses whatever is not named.
 *
 * @param css the styles inside the pages
 * @param script the code inside them
 * @param supabaseUrl where the form's call goes, if not to this site
 */
export function contentSecurityPolicy(css: string, script: string, supabaseUrl: string | undefined): string {
  const away = supabaseUrl ? ` ${new URL(supabaseUrl).origin}` : '';
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${sha256(script)}'`,
    `style-src 'self' 'sha256-${sha256(css)}'`,
    "img-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self'${away}`,
    `form-action 'self'${away}`,
    "base-uri 'none'",
  ].join(';');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/**
 * The headers of every answer that is a file, in the format that static hosts read. Our own server
 * reads the same file, so both say the same.
 *
 * @param pages the paths of all pages in `dist/`, and what each of them may do
 * @param siteUrl public address; over https it is promised to stay https
 * @param basePath the path in it; a host may see the site's files below it, or at its own root
 * @param machineReadable files at addresses of their own, by their paths in `dist/`
 */
export function headersFile(
  { paths, policy }: { paths: readonly string[]; policy: string },
  { siteUrl, basePath }: { siteUrl: string | undefined; basePath: string },
  machineReadable: readonly string[] = [],
): string {
  const bases = basePath ? ['', basePath] : [''];
  const rules: [string, Record<string, string>][] = [
    [
      '/*',
      {
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'strict-origin',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Permissions-Policy': 'camera=(),geolocation=(),microphone=()',
        ...(siteUrl?.startsWith('https:') && {
          'Strict-Transport-Security': 'max-age=63072000',
        }),
      },
    ],
    // A header that several rules set holds all their values, so no rule for everything may name these. The
    // drawings get no policy: some browsers would hold it against the styles inside them.
    ...paths
      .flatMap((path) => (path === 'index.html' ? ['/', '/index.html'] : [`/${path}`]))
      .flatMap((at) => bases.map((base) => base + at))
      .map((at): [string, Record<string, string>] => [
        at,
        // Of all that it says, this alone may not stand in a page.
        { 'Cache-Control': 'no-cache', 'Content-Security-Policy': `${policy};frame-ancestors 'none'` },
      ]),
    // Programs that come by for these do so seldom, and should learn of a change within the hour.
    ...machineReadable
      .flatMap((path) => bases.map((base) => `${base}/${path}`))
      .map((path): [string, Record<string, string>] => [path, { 'Cache-Control': 'public, max-age=3600' }]),
    ...bases.map((base): [string, Record<string, string>] => [
      `${base}/assets/*`,
      { 'Cache-Control': 'public, max-age=31536000, immutable' },
    ]),
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
