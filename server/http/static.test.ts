import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestService } from '../../tests/support/service.ts';
import { servedSite } from '../../tests/support/site/served-site.ts';

const FILES: Record<string, string> = {
  'index.html': '<h1>Home</h1>',
  'index.html.br': 'home in brotli',
  'index.html.gz': 'home in gzip',
  '404.html': '<h1>Not here</h1>',
  '404.html.br': 'not here in brotli',
  'message-not-sent.html': '<h1>%%error%%</h1>',
  'assets/site-abc.js': 'run()',
  'privacy/index.html': '<h1>Privacy</h1>',
  'assets/a b.txt': 'a blank in the name',
  '.well-known/security.txt': 'Contact: us',
  '.hidden': 'secret',
  '_made-from': 'secret',
  '_sentences.json': '{}',
  'assets/_notes.txt': 'secret',
  _headers: `# for every file
/*
  X-Frame-Options: DENY
  Referrer-Policy: no-referrer

/assets/*
  Cache-Control: public, max-age=31536000, immutable
/
  Link: </a.css>; rel=preload
  Cache-Control: no-cache
`,
};

function site() {
  const { pages, folder } = servedSite(FILES);
  const secret = join(folder, '../contact.db');
  writeFileSync(secret, 'secret');
  symlinkSync(secret, join(folder, 'link.txt'));
  const get = (path: string, headers: Record<string, string> = {}) => {
    const page = pages.answer('GET', path, (name) => headers[name]);
    return new Response(page?.body, page);
  };
  return { pages, folder, get };
}

test('the page is served at / with the headers of every rule that fits', async () => {
  const response = site().get('/', { range: 'bytes=0-3' });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-length': '13',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    link: '</a.css>; rel=preload',
    'cache-control': 'no-cache, no-transform',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  });
  expect(await response.text()).toBe('<h1>Home</h1>');
});

test('files keep the cache time of their rule, names are decoded, and a folder’s page needs no slash at its end', async () => {
  const { get } = site();
  expect(get('/assets/site-abc.js').headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(get('/assets/site-abc.js?v=1').headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(await get('/assets/a%20b.txt').text()).toBe('a blank in the name');
  for (const path of ['/.well-known/security.txt', '/privacy', '/privacy/', '/privacy/index.html'])
    expect(get(path).status, path).toBe(200);
});

test.each([
  ['br, gzip, zstd', 'br', 'home in brotli'],
  ['GZIP;q=0.5, deflate', 'gzip', 'home in gzip'],
  ['br;q=0, gzip; q=0.0', null, '<h1>Home</h1>'],
  ['zstd, *', null, '<h1>Home</h1>'],
])('a browser that accepts %j gets %j', async (accepted, encoding, text) => {
  const response = site().get('/', { 'accept-encoding': accepted });
  expect(response.headers.get('content-encoding')).toBe(encoding);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await response.text()).toBe(text);
});

test('an unchanged file is not sent again, and each encoding has its own tag', () => {
  const { get } = site();
  const tagOf = (accepted: string) => get('/', { 'accept-encoding': accepted }).headers.get('etag') ?? '';
  const tags = ['br', 'gzip', ''].map(tagOf);
  expect(new Set(tags).size).toBe(3);
  for (const ifNoneMatch of [tags[0] ?? '', `W/${tags[0]}, "x"`, '*']) {
    const response = get('/', { 'accept-encoding': 'br', 'if-none-match': ifNoneMatch });
    expect([response.status, response.body, response.headers.get('etag')]).toEqual([304, null, tags[0]]);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
  }
  expect(get('/', { 'accept-encoding': 'gzip', 'if-none-match': tags[0] ?? '' }).status).toBe(200);
});

test('what isn’t published, and anything outside that an address might lead to, gets the designed 404, which isn’t cached', async () => {
  const { get, folder } = site();
  const paths = [
    ...['/nothing', '/index.html/', '/assets', '/assets/', '/assets/gone-abc.js', '/_headers', '/_made-from'],
    ...['/_sentences.json', '/assets/_notes.txt', '/.hidden', '/index.html.br', '/message-not-sent.html'],
    ...['/link.txt', '/%00', '/%', '/constructor', '/__proto__', '/../contact.db', '/..%2fcontact.db'],
    ...['/%2e%2e/contact.db', '/%2e%2e%2fcontact.db', '/..\\contact.db', '/..%5ccontact.db', '/contact.db'],
    ...['/%252e%252e/contact.db', '/.%00./contact.db', '/../dist/../contact.db', '/assets/../../contact.db'],
    ...['http://x/../contact.db', '../contact.db', '/../../../../../../etc/passwd', 'file:///etc/passwd'],
    ...['//etc/passwd', '//etc/', '/\\etc/', '/..%c0%af..%c0%afetc/passwd', '/\xff', '*', 'http://['],
    ...[`${folder}/../contact.db`, `file://${folder}/../contact.db`],
  ];
  for (const path of paths) {
    const response = get(path, { 'if-none-match': '*' });
    expect([path, response.status]).toEqual([path, 404]);
    expect(response.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate, no-transform');
    expect(await response.text(), path).toBe('<h1>Not here</h1>');
  }
});

test('HEAD has the headers of GET and no body, and other methods are refused', async () => {
  const { app } = await openTestService({}, { pages: site().pages });
  const head = await app.request('/', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '13', null]);
  const post = await app.request('/', { method: 'POST', body: 'x' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
