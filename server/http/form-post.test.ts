import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { HONEYPOT_FIELD } from '../../contract/contact-message.ts';
import {
  formPost,
  MESSAGE,
  openTestService,
  PATH,
  START,
} from '../../tests/support/service/open-test-service.ts';

/** What a browser shows in each field, decoded by the HTML standard's rules. */
function shown(html: string): { name: string; email: string; message: string } {
  const decode = (text = '') =>
    text.replace(
      /&(amp|lt|gt|quot|#39);/g,
      (_, key: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[key] ?? "'",
    );
  const value = (name: string) => decode(new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1]);
  const area = /<textarea[^>]*>([^<]*)<\/textarea>/
    .exec(html)?.[1]
    ?.replace(/\r\n?/g, '\n')
    .replace(/^\n/, '');
  return { name: value('name'), email: value('email'), message: decode(area) };
}

test('a form sent without JavaScript is stored, needs no key, and comes back to the page', async () => {
  const { app, store } = await openTestService();
  const response = await app.request(...formPost({ ...MESSAGE, message: 'one\r\ntwo' }));
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/#message-sent');
  expect(response.headers.get('x-request-id')).toBeTruthy();
  expect(await store.claim(START, 1)).toMatchObject({ ...MESSAGE, message: 'one\ntwo' });
});

test.each([
  ['its own host', { origin: 'http://localhost' }, '/#message-sent'],
  ['a hidden origin', { origin: 'null' }, '/#message-sent'],
  ['another allowed origin', { origin: 'https://cdn.example' }, 'https://site.example/#message-sent'],
])('a form posted from %s goes back to the page that it came from', async (_, headers, location) => {
  const { app } = await openTestService({ SITE_URL: 'https://site.example' });
  const response = await app.request(...formPost(MESSAGE, headers));
  expect([response.status, response.headers.get('location')]).toEqual([303, location]);
});

test('a hidden origin is taken for the own page only where the browser says so, when there is a list', async () => {
  const { app } = await openTestService({ ALLOWED_ORIGINS: 'https://a.example' });
  for (const [site, status] of [
    ['same-origin', 303],
    ['cross-site', 403],
  ] as const) {
    const headers = { origin: 'null', 'sec-fetch-site': site };
    expect([site, (await app.request(...formPost(MESSAGE, headers))).status]).toEqual([site, status]);
  }
});

test('below a path, the form works with the path and without, and comes back to the page below it', async () => {
  const { app, store } = await openTestService({ SITE_URL: 'https://site.example/operations' });
  const [path, init] = formPost(MESSAGE);
  for (const at of [`/operations${path}`, path]) {
    const response = await app.request(at, init);
    expect([at, response.status, response.headers.get('location')]).toEqual([
      at,
      303,
      '/operations/#message-sent',
    ]);
  }
  expect((await store.counts()).waiting).toBe(1);
  const refused = await app.request(...formPost({ ...MESSAGE, email: 'nobody' }));
  expect(await refused.text()).toContain(`action="/operations${path}"`);
  expect((await app.request('/operationsfunctions/v1/x')).status).toBe(404);
});

test('a form posted from an origin that is not listed is refused with all that was typed', async () => {
  const { app, store } = await openTestService({ ALLOWED_ORIGINS: 'https://cdn.example' });
  const response = await app.request(...formPost(MESSAGE, { origin: 'https://other.example' }));
  expect(response.status).toBe(403);
  expect(shown(await response.text())).toEqual(MESSAGE);
  expect((await store.counts()).waiting).toBe(0);
});

test('a filled honeypot looks like success and is stored as suspected spam', async () => {
  const { app, store } = await openTestService();
  const response = await app.request(...formPost({ ...MESSAGE, [HONEYPOT_FIELD]: 'https://spam.example' }));
  expect([response.status, response.headers.get('location')]).toEqual([303, '/#message-sent']);
  expect(await store.counts()).toMatchObject({ spam: 1, waiting: 0 });
});

test('a faulty form comes back with the fault and with every character that was typed', async () => {
  const { app } = await openTestService();
  const typed = {
    name: '"><script>alert(1)</script> $& $1 %%email%%',
    email: "not 'an' address",
    message: '\n\n  begins with blank lines </textarea> & ends &amp; %%name%%\n\n',
  };
  const response = await app.request(...formPost(typed));
  expect(response.status).toBe(422);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await response.text();
  expect(html).toContain(
    '<strong id="email-error">Please enter an e-mail address like name@example.com.</strong>',
  );
  expect(html.match(/name="(\w+)"[^>]* aria-invalid="true"/g)).toEqual([
    expect.stringContaining('name="email"'),
  ]);
  expect(html).not.toContain('<script>alert');
  expect(shown(html)).toEqual(typed);
});

test('a form that cannot be stored comes back with all that was typed', async () => {
  const { app, databaseFile } = await openTestService();
  const other = new Database(databaseFile);
  other.exec('drop table contact_message');
  other.close();
  const response = await app.request(...formPost(MESSAGE));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
  const html = await response.text();
  expect(html).toContain('could not be saved');
  expect(shown(html)).toEqual(MESSAGE);
});

test('the longest message in a script that form encoding triples still fits', async () => {
  const { app } = await openTestService();
  expect((await app.request(...formPost({ ...MESSAGE, message: '流'.repeat(10_000) }))).status).toBe(303);
});

test('a form over 64 KiB comes back with all that was typed, as long as it is read at all', async () => {
  const { app } = await openTestService();
  const typed = { ...MESSAGE, message: 'x'.repeat(64 * 1024) };
  const response = await app.request(...formPost(typed));
  expect(response.status).toBe(413);
  expect(shown(await response.text())).toEqual(typed);
  const huge = await app.request(...formPost({ ...MESSAGE, message: 'x'.repeat(300_000) }));
  expect(huge.status).toBe(413);
  expect(await huge.text()).toContain('back button');
});

test('an uploaded form is not the form of the page', async () => {
  const { app } = await openTestService();
  const body = new FormData();
  body.set('name', 'Ana');
  expect((await app.request(PATH, { method: 'POST', body })).status).toBe(401);
});

test('whatever breaks while a form is taken, all that was typed comes back', async () => {
  const { app, lines, store } = await openTestService();
  store.add = () => Promise.resolve(JSON.parse('null'));
  const response = await app.request(...formPost(MESSAGE));
  expect(response.status).toBe(500);
  expect(shown(await response.text())).toEqual(MESSAGE);
  expect(lines.join('')).toMatch(/unforeseen/);
});
