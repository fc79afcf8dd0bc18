import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { headersFor, parseHeadersFile } from '../server/headers-file.ts';
import { headersFile, withPolicy } from './headers.ts';

const PAGES = { 'index.html': '<style>a{}</style>', '404.html': '<style>b{}</style>' };

function headersAt(
  path: string,
  settings: { siteUrl?: string; basePath?: string; supabaseUrl?: string } = {},
): Headers {
  const { siteUrl, basePath = '', supabaseUrl } = settings;
  return headersFor(
    parseHeadersFile(headersFile(PAGES, { siteUrl, basePath, supabaseUrl }, ['robots.txt'])),
    path,
  );
}

const policyAt = (...asked: Parameters<typeof headersAt>) =>
  headersAt(...asked).get('content-security-policy') ?? '';

test('a page may load nothing that its policy does not name, and the policy has no back door', () => {
  const policy = policyAt('/');
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).toContain("base-uri 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*|data:|blob:/);
});

test('each page names the hash of its own styles and no other', () => {
  const hash = (css: string) => `'sha256-${createHash('sha256').update(css).digest('base64')}'`;
  expect(policyAt('/')).toContain(hash('a{}'));
  expect(policyAt('/')).not.toContain(hash('b{}'));
  expect(policyAt('/404.html')).toContain(hash('b{}'));
});

test('of scripts inside a page only its own may run, and data is none', () => {
  const html = '<script type="application/ld+json">{}</script><script type="module">go()</script>';
  const headers = headersFile(
    { 'index.html': html },
    { siteUrl: undefined, basePath: '', supabaseUrl: undefined },
  );
  const policy = headersFor(parseHeadersFile(headers), '/').get('content-security-policy');
  const hash = createHash('sha256').update('go()').digest('base64');
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
});

test('a page for unknown addresses carries its policy along', () => {
  const html = '<head><meta charSet="utf-8"/><style>b{}</style></head>';
  const meta =
    /^<head><meta charSet="utf-8"\/><meta http-equiv="Content-Security-Policy" content="([^"]*)"\/>/.exec(
      withPolicy(html, undefined),
    );
  expect(`${meta?.[1]};frame-ancestors 'none'`).toBe(policyAt('/404.html'));
});

test('a project elsewhere may be called and posted to, by its origin alone', () => {
  const policy = policyAt('/', { supabaseUrl: 'https://abc.supabase.co/some/path' });
  expect(policy).toContain("connect-src 'self' https://abc.supabase.co;");
  expect(policy).toContain("form-action 'self' https://abc.supabase.co;");
});

test('only a site that is reached over https promises to stay there', () => {
  expect(headersAt('/').has('strict-transport-security')).toBe(false);
  expect(headersAt('/', { siteUrl: 'http://site.test' }).has('strict-transport-security')).toBe(false);
  const https = headersAt('/', { siteUrl: 'https://site.test' }).get('strict-transport-security');
  expect(https).toBe('max-age=63072000');
});

test('no header is set twice for any address, since browsers would read both values', () => {
  for (const path of ['/', '/index.html', '/404.html', '/assets/main-abc.js', '/nothing']) {
    for (const [name, value] of headersAt(path, { siteUrl: 'https://site.test' })) {
      if (path.startsWith('/assets/') && name === 'cache-control') continue;
      expect(value, `${name} at ${path}`).not.toContain(', ');
    }
  }
});

test('what has a hash in its name is kept for ever, pages are asked for anew', () => {
  expect(headersAt('/assets/main-abc.js').get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(headersAt('/').get('cache-control')).toBe('no-cache');
  expect(headersAt('/robots.txt').get('cache-control')).toBe('public, max-age=3600');
});

test('below a path, the headers hold for a host that sees the path and for one that does not', () => {
  for (const [below, root] of [
    ['/operations/', '/'],
    ['/operations/404.html', '/404.html'],
    ['/operations/assets/main-abc.js', '/assets/main-abc.js'],
  ] as const) {
    const there = Object.fromEntries(headersAt(below, { basePath: '/operations' }));
    expect(there, below).toEqual(Object.fromEntries(headersAt(root)));
    expect(there['cache-control']).toBeDefined();
  }
});
