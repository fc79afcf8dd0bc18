import { createHash } from 'node:crypto';

/**
 * A page that hosts of files send for unknown addresses, where no rule for an address gives it its policy. What
 * only a header can say, who may frame it, stays out.
 */
export function withPolicy(html: string, supabaseUrl: string | undefined): string {
  const policy = contentSecurityPolicy(html, supabaseUrl && new URL(supabaseUrl).origin);
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy.replace(/;frame-ancestors[^;]*/, '')}"/>`;
  return html.replace(/<meta charset="utf-8"\/>/i, `$&${meta}`);
}

/** What a page may load and do; `default-src 'none'` refuses whatever is not named. */
function contentSecurityPolicy(html: string, projectOrigin: string | undefined): string {
  const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(
    ([, css = '']) => `'sha256-${sha256(css)}'`,
  );
  const scripts = [...html.matchAll(/<script type="module">(.*?)<\/script>/gs)].map(
    ([, code = '']) => ` 'sha256-${sha256(code)}'`,
  );
  const away = projectOrigin ? ` ${projectOrigin}` : '';
  return [
    "default-src 'none'",
    `script-src 'self'${scripts.join('')}`,
    `style-src 'self' ${styles.join(' ')}`,
    "img-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self'${away}`,
    `form-action 'self'${away}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join(';');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/**
 * The headers of every answer that is a file, in the format that static hosts read. Our own server
 * reads the same file, so both say the same.
 *
 * @param pages the HTML of every page by its path in `dist/`; a policy names the styles of its own page
 * @param siteUrl public address; over https it is promised to stay https
 * @param basePath the path in it; a host may see the site's files below it, or at its own root
 * @param supabaseUrl where the form's call goes, if not to this site
 * @param machineReadable files at addresses of their own, by their paths in `dist/`
 */
export function headersFile(
  pages: Record<string, string>,
  {
    siteUrl,
    basePath,
    supabaseUrl,
  }: { siteUrl: string | undefined; basePath: string; supabaseUrl: string | undefined },
  machineReadable: readonly string[] = [],
): string {
  const bases = basePath ? ['', basePath] : [''];
  const project = supabaseUrl && new URL(supabaseUrl).origin;
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
    ...Object.entries(pages)
      .flatMap(([path, html]) =>
        (path === 'index.html' ? ['/', '/index.html'] : [`/${path}`]).map((at) => ({ at, html })),
      )
      .flatMap(({ at, html }) => bases.map((base) => ({ at: base + at, html })))
      .map(({ at, html }): [string, Record<string, string>] => [
        at,
        { 'Cache-Control': 'no-cache', 'Content-Security-Policy': contentSecurityPolicy(html, project) },
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
