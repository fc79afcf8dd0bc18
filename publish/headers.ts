import { hash } from 'node:crypto';

/** What a page may load and do, with `css` and `script` inline. Its form is sent to `supabaseUrl`, if not to this site. */
export function contentSecurityPolicy(css: string, script: string, supabaseUrl: string | undefined): string {
  const away = supabaseUrl ? ` ${new URL(supabaseUrl).origin}` : '';
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', script, 'base64')}'`,
    `style-src 'self' 'sha256-${hash('sha256', css, 'base64')}'`,
    "img-src 'self'",
    "font-src 'self'",
    `connect-src 'self'${away}`,
    `form-action 'self'${away}`,
    "base-uri 'none'",
  ].join(';');
}

/** In the format that static hosts and our own server read. Pages get the `policy`; what they fetch, just what it needs. */
export function headersFile(paths: readonly string[], policy: string, siteUrl: string | undefined): string {
  const ofPages = {
    'Cache-Control': 'no-cache',
    // `frame-ancestors` is the one directive that browsers ignore in a <meta>.
    'Content-Security-Policy': `${policy};frame-ancestors 'none'`,
    'Referrer-Policy': 'strict-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(),geolocation=(),microphone=()',
    ...(siteUrl?.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=63072000' }),
  };
  // If several rules set the same header, it gets all their values, so the catch-all rule can't set those of pages.
  const rules: Record<string, Record<string, string>> = {
    '/*': { 'X-Content-Type-Options': 'nosniff' },
    ...Object.fromEntries(paths.flatMap(addressesOf).map((at) => [at, ofPages])),
    '/assets/*': { 'Cache-Control': 'public, max-age=31536000, immutable' },
  };
  const lines = Object.entries(rules).flatMap(([path, headers]) => [
    path,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}

/** `privacy/index.html` is also shown at `/privacy/` and `/privacy`. */
function addressesOf(path: string): string[] {
  if (!path.endsWith('index.html')) return [`/${path}`];
  const folder = `/${path.slice(0, -'index.html'.length)}`;
  return [...new Set([folder, folder.slice(0, -1) || '/', `/${path}`])];
}
