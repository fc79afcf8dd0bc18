import { expect, test, vi } from 'vitest';
import { DEFAULT_ANON_KEY as KEY } from '../../contract/contact-message.ts';
import { call, MESSAGE, openTestService, PATH, START, setTime } from '../../tests/support/service.ts';
import { SHARED_MS } from '../service.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

test('besides the files of the page, the public server answers these paths and no others', async () => {
  const { app } = await openTestService();
  const paths = app.routes.map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(paths)].toSorted()).toEqual([
    // What can't be read is refused; what's left is a file of the page, or 404.
    ...['ALL /*', 'ALL /functions/v1/*', 'ALL /functions/v1/send-contact-email'],
    ...['GET /healthz', 'GET /readyz', 'GET /up', 'POST /functions/v1/send-contact-email'],
  ]);
});

test('a message with the key is stored and answered with its id, whatever else comes with it', async () => {
  const { app, store } = await openTestService();
  const body = { ...MESSAGE, id: 'mine', state: 'sent', leave_this_empty: 'x' };
  const type = { 'content-type': 'Application/JSON; charset=UTF-8' };
  const bearer = `bearer ${KEY}`;
  const signedIn = 'Bearer eyJ.of.somebody';
  for (const key of [{ apikey: KEY }, { authorization: bearer }, { apikey: KEY, authorization: signedIn }]) {
    const init = raw({ ...type, ...key }, JSON.stringify({ ...body, message: JSON.stringify(key) }));
    const response = await app.request(`${PATH}?forceFunctionRegion=us-east-1`, init);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const answer = await response.json();
    expect(answer).toEqual({ ok: true, id: expect.any(String) });
    const stored = { ...MESSAGE, message: JSON.stringify(key), id: answer.id };
    expect(await store.claim(START, 1000)).toMatchObject(stored);
  }
});

test('what the page says in its header counts: the trap, and how fast it was sent', async () => {
  const { app, store } = await openTestService();
  const send = async (message: string, info: string) => {
    const response = await app.request(...call({ ...MESSAGE, message }, { 'x-client-info': info }));
    expect([response.status, await response.json()]).toEqual([200, { ok: true, id: expect.any(String) }]);
    const { waiting, spam } = await store.counts();
    return { waiting, spam };
  };
  expect(await send('One', 'form 2500')).toEqual({ waiting: 1, spam: 0 });
  expect(await send('Two', 'trap 90000')).toEqual({ waiting: 1, spam: 1 });
  expect(await send('Three', 'form 1400')).toEqual({ waiting: 1, spam: 2 });
  expect(await send('Four', 'supabase-js/2.119.0')).toEqual({ waiting: 2, spam: 2 });
});

test('a preflight needs no key and allows every header that the clients send', async () => {
  const { app } = await openTestService();
  const response = await app.request(PATH, { method: 'OPTIONS', headers: { origin: 'https://a.example' } });
  expect(response.ok).toBe(true);
  const { headers } = response;
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-allow-headers')?.split(',').toSorted()).toEqual([
    ...['apikey', 'authorization', 'baggage', 'content-type', 'idempotency-key', 'traceparent', 'tracestate'],
    ...['x-client-info', 'x-region', 'x-retry-count'],
  ]);
  expect(headers.get('access-control-allow-methods')).toMatch(/POST/);
  expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0);
});

const raw = (headers: Record<string, string>, body?: BodyInit) => ({
  ...call()[1],
  headers,
  ...(body && { body }),
});
const typed = (change: object) => call({ ...MESSAGE, ...change })[1];
const sent = (body: BodyInit, type = 'application/json', more: Record<string, string> = {}) =>
  raw({ apikey: KEY, 'content-type': type, ...more }, body);
const ofSize = (bytes: number) => JSON.stringify(MESSAGE).padEnd(bytes);

type Case = [answer: string, what: string, init: RequestInit, more?: object, path?: string];
const WRONG_KEY = '401 UNAUTHORIZED_INVALID_JWT_FORMAT';
const WRONG = { sb: 'UNAUTHORIZED_INVALID_JWT_FORMAT', message: 'Invalid JWT' };
const NO_KEY = { sb: 'UNAUTHORIZED_NO_AUTH_HEADER', message: 'Missing authorization header' };
const TYPE = '415 UNSUPPORTED_MEDIA_TYPE';
const FIELD = '422 INVALID_FIELD';
const TOO_LONG = 'Your message can have at most 10,000 characters.';
const NOWHERE = { message: 'Requested function was not found' };

test.each<Case>([
  ['401 UNAUTHORIZED_NO_AUTH_HEADER', 'no key', raw(JSON_TYPE), NO_KEY],
  [WRONG_KEY, 'a wrong apikey', raw({ ...JSON_TYPE, apikey: `${KEY}x` }), WRONG],
  [WRONG_KEY, 'a wrong token', raw({ ...JSON_TYPE, authorization: 'Bearer x' }), WRONG],
  [WRONG_KEY, 'another scheme', raw({ ...JSON_TYPE, authorization: `Basic ${KEY}` }), WRONG],
  ...['GET', 'PUT', 'PATCH', 'DELETE'].map(
    (method): Case => ['405 METHOD_NOT_ALLOWED', method, { method }, { allow: 'POST, OPTIONS' }],
  ),
  ...['/other', '/send-contact-email/', '/', ''].map(
    (path): Case => ['404 NOT_FOUND', `the path ${path}`, call()[1], NOWHERE, `/functions/v1${path}`],
  ),
  [TYPE, 'plain text', sent('{}', 'text/plain')],
  [TYPE, 'a form with a key', sent('{}', 'multipart/form-data; boundary=x')],
  [TYPE, 'another JSON', sent('{}', 'application/json-patch+json')],
  [TYPE, 'no type', sent('{}', '')],
  [TYPE, 'a packed body', sent('{}', undefined, { 'content-encoding': 'gzip' })],
  ['400 INVALID_JSON', 'nothing', { ...sent('{}'), body: '' }],
  ['400 INVALID_JSON', 'half a message', sent('{"name":"Ana","email":')],
  ['400 INVALID_JSON', 'a list', sent('[]')],
  ['400 INVALID_JSON', 'no UTF-8', sent(new Blob([Uint8Array.of(123, 34, 0xeb, 34, 125)]))],
  ['413 BODY_TOO_LARGE', 'a byte over 64 KiB', sent(ofSize(64 * 1024 + 1))],
  ['413 BODY_TOO_LARGE', 'a megabyte', sent(ofSize(2 ** 20))],
  [FIELD, 'deep lists', sent(`{"name":${'['.repeat(9_000)}${']'.repeat(9_000)}}`), { field: 'name' }],
  [FIELD, 'no address', typed({ email: 'ana' }), { field: 'email' }],
  [FIELD, '10,001 letters', typed({ message: 'x'.repeat(10_001) }), { field: 'message', error: TOO_LONG }],
])('%s, and a sentence, for %s', async (answer, _, init, more = {}, path = PATH) => {
  const [status, code] = answer.split(' ');
  const { app, store, lines } = await openTestService();
  const response = await app.request(path, init);
  const { headers } = response;
  expect(response.status).toBe(Number(status));
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-expose-headers')).toMatch(/retry-after/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect({
    ...(await response.json()),
    sb: headers.get('sb-error-code'),
    allow: headers.get('allow'),
  }).toMatchObject({ code, error: expect.stringMatching(/^[A-Z].+\.$/), ...more });
  expect((await store.counts()).waiting).toBe(0);
  expect(lines.join('')).not.toMatch(/unforeseen/);
});

test('HEAD is refused without a body, and exactly 64 KiB are read', async () => {
  const { app } = await openTestService();
  const head = await app.request(PATH, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([405, '']);
  expect((await app.request(PATH, sent(ofSize(64 * 1024)))).status).toBe(200);
});

test('a retry with the same Idempotency-Key is the same message a day later, and mailed once if it was held', async () => {
  const { app, outbox } = await openTestService();
  const send = async (info: string) =>
    (await app.request(...call(MESSAGE, { 'x-client-info': info, 'idempotency-key': 'abc' }))).json();
  const held = await send('form 900');
  expect(await outbox.runDue()).toMatchObject({ sent: 0 });
  setTime(Date.now() + 86_400_000);
  expect([await send('form 9000'), await send('form 9000')]).toEqual([held, held]);
  expect(await outbox.runDue()).toMatchObject({ sent: 1 });
});

test('an unexpected error is answered with a constant sentence, and only the log has its cause', async () => {
  const { app, lines } = await openTestService();
  // Nothing a request can carry is known to get here, so this one throws when it's read.
  const request = new Request(`http://localhost${PATH}`, call()[1]);
  Object.defineProperty(request, 'body', {
    get: () => {
      throw new RangeError('canary of the inner workings');
    },
  });
  const response = await app.request(request);
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([500, '*']);
  expect(await response.text()).not.toMatch(/canary/);
  expect(lines.join('')).toMatch(/RangeError.*a request failed for an unforeseen reason/);
  expect(lines.join('')).not.toMatch(/canary/);
});

test('only listed origins, our own and SITE_URL may call when there is a list', async () => {
  const env = { ALLOWED_ORIGINS: 'https://a.example', SITE_URL: 'https://site.example' };
  const { app } = await openTestService(env);
  const ask = async (origin: string, more: Record<string, string> = {}) => {
    const { status, headers } = await app.request(...call(MESSAGE, { origin, ...more }));
    expect(headers.get('vary')).toMatch(/Origin/);
    return [origin, status, headers.get('access-control-allow-origin')];
  };
  for (const origin of ['https://a.example', 'https://site.example', 'http://localhost'])
    expect(await ask(origin)).toEqual([origin, 200, origin]);
  for (const origin of ['https://b.example', 'null']) expect(await ask(origin)).toEqual([origin, 403, null]);
  // Our own form under a strict referrer policy.
  expect(await ask('null', { 'sec-fetch-site': 'same-origin' })).toEqual(['null', 200, null]);
});

test('/healthz says that the server is up, /readyz that it takes messages, and neither anything about the business', async () => {
  const { app, store, stopSending } = await openTestService();
  const ask = async (path: string, method = 'GET') => {
    const response = await app.request(path, { method });
    return [response.status, Object.fromEntries(response.headers), await response.text()] as const;
  };
  const headers = { 'cache-control': 'no-store', 'content-type': 'application/json' };
  await app.request(...call());
  await store.add({ ...MESSAGE, name: 'Bot' }, { now: START, heldFor: ['trap'] });
  for (const path of ['/healthz', '/up', '/readyz']) {
    expect(await ask(path)).toEqual([200, headers, '{"ok":true}']);
    expect(await ask(path, 'HEAD')).toEqual([200, headers, '']);
  }
  await stopSending();
  expect(await ask('/readyz')).toEqual([503, headers, '{"ok":false}']);
  for (const path of ['/healthz', '/up']) expect((await app.request(path)).status).toBe(200);
});

test('however many ask within three seconds whether the server is ready, the disk is written to once', async () => {
  const { app, database, readiness } = await openTestService();
  const write = vi.spyOn(database, 'write');
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.request('/readyz')));
  setTime(Date.now() + SHARED_MS - 1);
  for (let again = 0; again < 50; again += 1) answers.push(await app.request('/readyz'));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(write).toHaveBeenCalledTimes(1);
  await readiness();
  // However far the clock is set back.
  setTime(0);
  await app.request('/readyz');
  expect(write).toHaveBeenCalledTimes(3);
});
