import { expect, test, vi } from 'vitest';
import { FIELD_NAMES, FIELDS, NOT_SENT_PAGE } from '../../contract/contact-message.ts';
import { LONGEST_TOPIC_LINE, TOPICS_FIELD, topicLine } from '../../contract/topics.ts';
import {
  formPost,
  MESSAGE,
  openTestService,
  PATH,
  refuseInserts,
  START,
} from '../../tests/support/service.ts';
import { servedSite } from '../../tests/support/site/served-site.ts';
import { add } from '../messages/insert.ts';

vi.mock('../messages/insert.ts', { spy: true });

const URLENCODED = 'application/x-www-form-urlencoded';

const decode = (text = '') =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, key: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[key] ?? "'",
  );

const ticked = (html: string) =>
  [...html.matchAll(/<input type="checkbox"[^>]* value="([^"]*)" checked>/g)].map(([, title]) =>
    decode(title),
  );

/** What a browser shows in each field, decoded by the HTML standard's rules. */
function shown(html: string) {
  const value = (name: string) => decode(new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1]);
  const [, area = ''] = /<textarea[^>]*>([^<]*)<\/textarea>/.exec(html) ?? [];
  const message = decode(area.replace(/\r\n?/g, '\n').replace(/^\n/, ''));
  return { name: value('name'), email: value('email'), message };
}

const KEPT = 'Everything is still here.';

function withBuiltPage() {
  const fields = FIELD_NAMES.map((name) =>
    FIELDS[name].multiline
      ? `<textarea name="${name}">%%${name}%%</textarea>`
      : `<input name="${name}" value="%%${name}%%">`,
  ).join('');
  const page = `<p>%%kept%%${KEPT}</p><p>%%error%%</p><p>%%topics%%</p><form id="contact-form">${fields}</form>`;
  const _headers = `/${NOT_SENT_PAGE}\n  Content-Security-Policy: default-src 'self'\n`;
  return openTestService({}, { pages: servedSite({ [NOT_SENT_PAGE]: page, _headers }).pages });
}

function post(type: string, body: string): [string, RequestInit] {
  return [PATH, { method: 'POST', headers: { 'content-type': type }, body: Buffer.from(body, 'latin1') }];
}

const withTicks = (titles: readonly string[], fields: Record<string, string>) =>
  formPost([...Object.entries(fields), ...titles.map((title): [string, string] => [TOPICS_FIELD, title])]);

const TOPICS = ['Manual spreadsheet updates', 'Repeated pick/pack/order errors'];

test.each([
  ['nowhere', {}, '/#message-sent'],
  ['its own host', { origin: 'http://localhost' }, '/#message-sent'],
  ['a hidden origin', { origin: 'null' }, '/#message-sent'],
  ['another allowed origin', { origin: 'https://cdn.example' }, 'https://site.example/#message-sent'],
])('a form from %s needs no key, is stored, and goes back to its page', async (_, headers, location) => {
  const { app, store } = await openTestService({ SITE_URL: 'https://site.example' });
  const response = await app.request(...formPost({ ...MESSAGE, message: 'one\r\ntwo' }, headers));
  expect([response.status, response.headers.get('location')]).toEqual([303, location]);
  expect(response.headers.get('x-request-id')).toBeTruthy();
  expect(await store.claim(START, 1)).toMatchObject({ ...MESSAGE, message: 'one\ntwo' });
});

test('what was ticked is the first line of the message, as with JavaScript, and the longest message fits beside it', async () => {
  const { app, store } = await openTestService();
  // In a script that form encoding triples.
  const message = '流'.repeat(FIELDS.message.max);
  expect((await app.request(...withTicks(TOPICS, { ...MESSAGE, message }))).status).toBe(303);
  expect((await store.claim(START, 1))?.message).toBe(topicLine('About', TOPICS) + message);
  const noTick = `About: ${'x'.repeat(LONGEST_TOPIC_LINE)}\n${'x'.repeat(FIELDS.message.max - 9)}`;
  expect((await app.request(...formPost({ ...MESSAGE, message: noTick }))).status).toBe(422);
});

test.each([
  ['the plain page', () => openTestService({ SITE_URL: 'https://site.example' })],
  ['the built page', withBuiltPage],
])('a faulty form comes back on %s with every character that was typed, and every tick', async (_, open) => {
  const { app } = await open();
  const hostile = {
    name: '"><script>alert(1)</script> $& $1 %%email%%',
    email: "not 'an' address",
    message: '\n\n  begins with blank lines </textarea> & ends &amp; %%name%%\n\n',
  };
  const topics = [...TOPICS, '"><script>alert(1)</script>', '%%email%%'];
  for (const [typed, field] of [
    [hostile, 'email'],
    [{ ...MESSAGE, message: 'x'.repeat(10_001) }, 'message'],
    [{ ...MESSAGE, message: ' \n\u2800' }, 'message'],
  ] as const) {
    const response = await app.request(...withTicks([...topics, ''], typed));
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    expect([shown(html), ticked(html)]).toEqual([typed, topics]);
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('id="contact-form"');
    expect(response.headers.get('cache-control')).toBe('no-store');
    if (open === withBuiltPage) {
      expect(html).toContain(`<p>${KEPT}</p><p></p>`);
      expect(response.headers.get('content-security-policy')).toBe("default-src 'self'");
    } else {
      expect(html).toMatch(/<form [^>]*action="\/functions\/v1\/send-contact-email"/);
      expect(html).toContain('href="https://site.example/"');
      expect(html).toMatch(new RegExp(` name="${field}".*</label> <strong>[A-Z].+\\.</strong>`, 's'));
    }
  }
});

test.each([
  ['a website that is not listed', 403, {}, /"status":403/],
  ['a full disk', 503, {}, /SQLITE_CONSTRAINT.*a message was not confirmed as stored/],
  ['more than 64 KiB', 413, { message: 'x'.repeat(64 * 1024) }, /"status":413/],
  ['anything unforeseen', 500, {}, /RangeError.*a request failed for an unforeseen reason/],
])('a form that is refused for %s comes back with all that was typed', async (_, status, change, logged) => {
  const { app, database, store, lines } = await openTestService({ ALLOWED_ORIGINS: 'https://cdn.example' });
  if (status === 503) await refuseInserts(database);
  if (status === 500)
    vi.mocked(add).mockImplementationOnce(() => {
      throw new RangeError(MESSAGE.name);
    });
  const headers = status === 403 ? { origin: 'https://other.example' } : {};
  const response = await app.request(...formPost({ ...MESSAGE, ...change }, headers));
  expect([response.status, shown(await response.text())]).toEqual([status, { ...MESSAGE, ...change }]);
  expect((await store.counts()).waiting).toBe(0);
  expect(lines.join('')).toMatch(logged);
  expect(lines.join('')).not.toContain(MESSAGE.name);
});

test.each([
  [413, 'is too long to be read', formPost({ ...MESSAGE, message: 'x'.repeat(200_000) })],
  [400, 'cannot be taken apart', post('multipart/form-data; boundary=there-is-none', 'name=Ana')],
  [415, 'is packed', formPost(MESSAGE, { 'content-encoding': 'gzip' })],
])('%i: what %s is in the browser, and the page doesn’t claim to have it', async (status, _, request) => {
  const { app } = await withBuiltPage();
  const response = await app.request(...request);
  const html = await response.text();
  expect([response.status, shown(html)]).toEqual([status, { name: '', email: '', message: '' }]);
  expect(html).toContain('back button');
  expect(html).not.toContain(KEPT);
});

const body = (name: string, message = 'na%EFve') => `name=${name}&email=ana%40example.org&message=${message}`;
const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const inParts = [
  ...[part('name"; filename="a.jpg', '\xff\0'), part('topics', 'Stock'), part('name', 'Ren\xe9')],
  ...[part('email', 'ana@example.org'), part('message', 'one\r\nna\xefve'), '--b--\r\n'],
].join('');

test.each([
  [`${URLENCODED}; charset=windows-1252`, body('Ren%E9+%80'), 'René €', 'naïve'],
  [`${URLENCODED};CHARSET="ISO-8859-1"`, body('Ren%E9'), 'René', 'naïve'],
  [URLENCODED, body('Ren%E9%85'), 'René…', 'naïve'],
  [`${URLENCODED}; charset=koi8-r`, body('%F7%C5%D2%C1'), 'Вера', 'naОve'],
  // Bytes that aren't in the stated charset, or are in an unknown one
  [`${URLENCODED}; charset=utf-8`, body('Ren%E9'), 'René', 'naïve'],
  [`${URLENCODED}; charset=klingon`, body('Ren%E9'), 'René', 'naïve'],
  // Bytes may be raw, and a lone % or an encoded + stands for itself.
  [URLENCODED, body('Ren\xc3\xa9+%2B+50%', 'a%3Db=c%26&&x'), 'René + 50%', 'a=b=c&'],
  // The page has no field for a file.
  ['multipart/form-data; boundary=b', inParts, 'René', 'About: Stock\none\nnaïve'],
])('a form in another charset or encoding is decoded: %s, %s', async (type, sent, name, message) => {
  const { app, store } = await openTestService();
  expect((await app.request(...post(type, sent))).status).toBe(303);
  expect(await store.claim(START, 1)).toMatchObject({ name, message, email: 'ana@example.org' });
});
