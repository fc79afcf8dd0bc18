import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { headersFor, parseHeadersFile } from '../server/http/static.ts';
import { contentSecurityPolicy, headersFile } from './headers.ts';

const PATHS = ['index.html', '404.html'];

function headersAt(path: string, settings: { siteUrl?: string; supabaseUrl?: string } = {}): Headers {
  const { siteUrl, supabaseUrl } = settings;
  const policy = contentSecurityPolicy('a{}', 'go()', supabaseUrl);
  return headersFor(parseHeadersFile(headersFile(PATHS, policy, siteUrl)), path);
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

test('of styles and scripts inside a page only its own may work, by their hashes', () => {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  for (const page of ['/', '/index.html', '/404.html']) {
    expect(policyAt(page)).toContain(`style-src 'self' ${hash('a{}')};`);
    expect(policyAt(page)).toContain(`script-src 'self' ${hash('go()')};`);
  }
});

test('a page in a folder of its own is a page at each of its addresses', () => {
  const rules = parseHeadersFile(headersFile(['privacy/index.html'], 'p', undefined));
  for (const path of ['/privacy', '/privacy/', '/privacy/index.html'])
    expect(headersFor(rules, path).get('content-security-policy'), path).toMatch(/^p;/);
  expect(headersFor(rules, '/').has('content-security-policy')).toBe(false);
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

test('what has a hash in its name is kept for ever, and what a page fetches carries nothing that only a page needs', () => {
  const names = (path: string) => [...headersAt(path, { siteUrl: 'https://site.test' }).keys()];
  expect(names('/assets/archivo-abc.woff2')).toEqual(['cache-control', 'x-content-type-options']);
  expect(headersAt('/assets/main-abc.js').get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(names('/robots.txt')).toEqual(['x-content-type-options']);
});
