import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readHeaders } from '../server/http/static.ts';
import { contentSecurityPolicy, headersFile } from './headers.ts';

const PAGES = ['index.html', '404.html', 'privacy/index.html'];

const headersAt = (path: string, siteUrl?: string) =>
  readHeaders(headersFile(PAGES, contentSecurityPolicy('a{}', 'go()', undefined), siteUrl))(path);

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('at each of its addresses a page may load and run what its policy names, its own inline code by hash, and nothing else', () => {
  for (const path of ['/', '/index.html', '/404.html', '/privacy', '/privacy/', '/privacy/index.html'])
    expect(headersAt(path)['content-security-policy']?.split(';').toSorted(), path).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      `script-src 'self' ${hash('go()')}`,
      `style-src 'self' ${hash('a{}')}`,
    ]);
});

test('only a site that is reached over https promises to stay there', () => {
  const promised = (siteUrl?: string) => headersAt('/', siteUrl)['strict-transport-security'];
  expect([promised(), promised('http://site.test')]).toEqual([undefined, undefined]);
  expect(promised('https://site.test')).toBe('max-age=63072000');
});

test('what has a hash in its name is kept for ever, and what a page fetches carries nothing that only a page needs', () => {
  const sniffed = { 'x-content-type-options': 'nosniff' };
  expect(headersAt('/robots.txt', 'https://site.test')).toEqual(sniffed);
  const kept = { ...sniffed, 'cache-control': 'public, max-age=31536000, immutable' };
  expect(headersAt('/assets/main-abc.js', 'https://site.test')).toEqual(kept);
});
