import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import {
  call,
  KEY,
  MESSAGE,
  openTestService,
  PATH,
  START,
  setTime,
} from '../../tests/support/service/open-test-service.ts';

async function json(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}

/** What every response from the function carries, whatever it says. */
function expectCommonHeaders(response: Response): void {
  const { headers } = response;
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-expose-headers')).toMatch(/retry-after/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
}

async function expectRefusal(
  response: Response,
  status: number,
  code: string,
): Promise<Record<string, unknown>> {
  expect(response.status).toBe(status);
  expectCommonHeaders(response);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const body = await json(response);
  expect(body).toMatchObject({ code, error: expect.stringMatching(/^[A-Z].+\.$/) });
  return body;
}

test('a message is stored and answered with its id', async () => {
  const { app, store } = await openTestService();
  const response = await app.request(...call());
  expect(response.status).toBe(200);
  expectCommonHeaders(response);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const body = await json(response);
  expect(body).toEqual({ ok: true, id: expect.any(String) });
  expect(await store.claim(START, 1)).toMatchObject({ ...MESSAGE, id: body.id });
});

test('unknown fields, query strings and charsets are ignored', async () => {
  const { app, store } = await openTestService();
  const body = { ...MESSAGE, id: 'mine', state: 'sent', leave_this_empty: 'x' };
  const [, init] = call(body, { 'content-type': 'Application/JSON; charset=UTF-8' });
  const response = await app.request(`${PATH}?forceFunctionRegion=us-east-1`, init);
  expect(response.status).toBe(200);
  expect(await store.counts()).toMatchObject({ waiting: 1, spam: 0 });
});

test('what the page says in its header counts: the trap, and its haste', async () => {
  const { app, store, lines } = await openTestService();
  const send = async (message: string, info: string) => {
    const response = await app.request(...call({ ...MESSAGE, message }, { 'x-client-info': info }));
    expect([response.status, await response.json()]).toEqual([200, { ok: true, id: expect.any(String) }]);
    const { waiting, spam } = await store.counts();
    return { waiting, spam };
  };
  expect(await send('One secret', 'form 2500')).toEqual({ waiting: 1, spam: 0 });
  expect(await send('Two secrets', 'trap 90000')).toEqual({ waiting: 1, spam: 1 });
  expect(await send('Three secrets', 'form 1400')).toEqual({ waiting: 1, spam: 2 });
  expect(await send('Four secrets', 'supabase-js/2.119.0')).toEqual({ waiting: 2, spam: 2 });
  expect(lines.join()).not.toContain('secret');
});

test.each([
  ['as apikey', { apikey: KEY }],
  ['as Bearer token', { authorization: `Bearer ${KEY}` }],
  ['as both', { apikey: KEY, authorization: `bearer ${KEY}` }],
  ["beside a signed-in user's token", { apikey: KEY, authorization: 'Bearer eyJ.of.somebody' }],
])('the key is accepted %s', async (_, headers) => {
  const { app } = await openTestService();
  const [path, init] = call();
  const response = await app.request(path, {
    ...init,
    headers: { 'content-type': 'application/json', ...headers },
  });
  expect(response.status).toBe(200);
});

test.each([
  ['no key', {}, 'UNAUTHORIZED_NO_AUTH_HEADER', 'Missing authorization header'],
  ['a wrong apikey', { apikey: `${KEY}x` }, 'UNAUTHORIZED_INVALID_JWT_FORMAT', 'Invalid JWT'],
  ['a wrong token', { authorization: 'Bearer nonsense' }, 'UNAUTHORIZED_INVALID_JWT_FORMAT', 'Invalid JWT'],
  ['another scheme', { authorization: `Basic ${KEY}` }, 'UNAUTHORIZED_INVALID_JWT_FORMAT', 'Invalid JWT'],
])('%s is answered as the Supabase gateway does', async (_, headers, code, message) => {
  const { app, store } = await openTestService();
  const [path, init] = call();
  const response = await app.request(path, {
    ...init,
    headers: { 'content-type': 'application/json', ...headers },
  });
  expect(response.headers.get('sb-error-code')).toBe(code);
  expect(await expectRefusal(response, 401, code)).toMatchObject({ message });
  expect((await store.counts()).waiting).toBe(0);
});

test('a preflight needs no key and allows every header that the clients send', async () => {
  const { app } = await openTestService();
  const response = await app.request(PATH, {
    method: 'OPTIONS',
    headers: { origin: 'https://page.example' },
  });
  expect(response.ok).toBe(true);
  expectCommonHeaders(response);
  const allowed = response.headers.get('access-control-allow-headers')?.split(', ') ?? [];
  expect(allowed.toSorted()).toEqual(
    [
      ...['authorization', 'x-client-info', 'apikey', 'content-type', 'x-region', 'x-retry-count'],
      ...['idempotency-key', 'traceparent', 'tracestate', 'baggage'],
    ].toSorted(),
  );
  expect(response.headers.get('access-control-allow-methods')).toMatch(/POST/);
  expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
});

test('other methods are answered 405, HEAD without a body', async () => {
  const { app } = await openTestService();
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const response = await app.request(PATH, { method });
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    await expectRefusal(response, 405, 'METHOD_NOT_ALLOWED');
  }
  const response = await app.request(PATH, { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([405, '']);
});

test.each(['/functions/v1/other', '/functions/v1/send-contact-email/', '/functions/v1/', '/functions/v1'])(
  'there is no function at %s, and no redirect',
  async (path) => {
    const { app } = await openTestService();
    const response = await app.request(path, call()[1]);
    const body = await expectRefusal(response, 404, 'NOT_FOUND');
    expect(body.message).toBe('Requested function was not found');
  },
);

test.each([
  ['text/plain', {}],
  ['multipart/form-data; boundary=x', {}],
  ['application/json-patch+json', {}],
  ['', {}],
  ['application/json', { 'content-encoding': 'gzip' }],
])('the type %j with %j is answered 415', async (type, headers) => {
  const { app } = await openTestService();
  await expectRefusal(
    await app.request(...call(MESSAGE, { 'content-type': type, ...headers })),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  );
});

test.each([
  ['nothing', ''],
  ['half a message', '{"name":"Ana","email":'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a bare text', '"hello"'],
  ['deep nesting', '['.repeat(30_000)],
])('a body of %s is answered 400', async (_, body) => {
  const { app } = await openTestService();
  await expectRefusal(await app.request(...call(body)), 400, 'INVALID_JSON');
});

test('bytes that are no UTF-8 are answered 400, not guessed at', async () => {
  const { app } = await openTestService();
  const [path, init] = call();
  const body = Buffer.from(JSON.stringify({ ...MESSAGE, name: 'Zoë' }), 'latin1');
  await expectRefusal(await app.request(path, { ...init, body }), 400, 'INVALID_JSON');
});

test.each([
  ['name', { name: 7 }, 'Please enter your name.'],
  ['email', { email: 'ana' }, 'Please enter an e-mail address like name@example.com.'],
  ['message', { message: ' \n ' }, 'Please enter a message.'],
  ['message', { message: 'x'.repeat(10_001) }, 'Your message can have at most 10,000 characters.'],
])('a faulty %s is answered 422 with its name and a sentence', async (field, change, error) => {
  const { app } = await openTestService();
  const response = await app.request(...call({ ...MESSAGE, ...change }));
  expect(await expectRefusal(response, 422, 'INVALID_FIELD')).toMatchObject({ field, error });
});

/** A call whose body never ends, and how often another 1 KiB of it was requested. */
function endlessCall(headers: Record<string, string> = {}) {
  const [path, init] = call(MESSAGE, headers);
  const asked = { times: 0 };
  const body = new ReadableStream(
    {
      pull(controller) {
        asked.times += 1;
        controller.enqueue(new Uint8Array(1024).fill(32));
      },
    },
    { highWaterMark: 0 },
  );
  const streaming = { ...init, body, duplex: 'half' };
  return { request: new Request(`http://localhost${path}`, streaming), asked };
}

test('a body that says it is over 64 KiB is not read at all', async () => {
  const { app } = await openTestService();
  const { request, asked } = endlessCall({ 'content-length': String(64 * 1024 + 1) });
  await expectRefusal(await app.request(request), 413, 'BODY_TOO_LARGE');
  expect(asked.times).toBe(0);
});

test('a body that turns out to be over 64 KiB is refused at once, and its rest dropped, up to 64 MiB', async () => {
  const { app } = await openTestService();
  const { request, asked } = endlessCall();
  await expectRefusal(await app.request(request), 413, 'BODY_TOO_LARGE');
  await expect.poll(() => asked.times).toBe(65 + 64 * 1024);
});

test('a body of exactly 64 KiB is read', async () => {
  const { app } = await openTestService();
  const padding = 64 * 1024 - JSON.stringify({ ...MESSAGE, padding: '' }).length;
  expect((await app.request(...call({ ...MESSAGE, padding: ' '.repeat(padding) }))).status).toBe(200);
  await expectRefusal(
    await app.request(...call({ ...MESSAGE, padding: ' '.repeat(padding + 1) })),
    413,
    'BODY_TOO_LARGE',
  );
});

test('a retry with the same Idempotency-Key is the same message a day later', async () => {
  const { app, store } = await openTestService();
  const first = await json(await app.request(...call(MESSAGE, { 'idempotency-key': 'abc' })));
  setTime(Date.now() + 86_400_000);
  expect(await json(await app.request(...call(MESSAGE, { 'idempotency-key': 'abc' })))).toEqual(first);
  expect((await store.counts()).waiting).toBe(1);
});

test('a message that was held is mailed, once, when a person sends it again under the same key a day later', async () => {
  const { app, outbox } = await openTestService();
  const send = async (info: string) =>
    json(await app.request(...call(MESSAGE, { 'x-client-info': info, 'idempotency-key': 'abc' })));
  const held = await send('form 900');
  expect(await outbox.runDue()).toMatchObject({ sent: 0 });
  setTime(Date.now() + 86_400_000);
  expect([await send('form 9000'), await send('form 9000')]).toEqual([held, held]);
  expect(await outbox.runDue()).toMatchObject({ sent: 1 });
});

test('when the database takes no message the answer says so, and the next one is stored', async () => {
  const { app, databaseFile, lines } = await openTestService();
  const other = new Database(databaseFile);
  onTestFinished(() => void other.close());
  other.exec(
    "create trigger full before insert on contact_message begin select raise(abort, 'Ana: disk full'); end",
  );
  const response = await app.request(...call());
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  const body = await expectRefusal(response, 503, 'NOT_STORED');
  expect(body.error).toMatch(/could not be saved/);
  expect(lines.join('')).toMatch(
    /could not be stored.*SQLITE_CONSTRAINT|SQLITE_CONSTRAINT.*could not be stored/,
  );
  other.exec('drop trigger full');
  expect((await app.request(...call())).status).toBe(200);
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
  const body = await expectRefusal(await app.request(request), 500, 'UNEXPECTED');
  expect(JSON.stringify(body)).not.toMatch(/canary/);
  expect(lines.join('')).toMatch(/RangeError.*a request failed for an unforeseen reason/);
  expect(lines.join('')).not.toMatch(/canary/);
});

test('only listed origins, the own one and SITE_URL may call when there is a list', async () => {
  const { app } = await openTestService({
    ALLOWED_ORIGINS: 'https://a.example',
    SITE_URL: 'https://site.example',
  });
  for (const origin of ['https://a.example', 'https://site.example', 'http://localhost']) {
    const response = await app.request(...call(MESSAGE, { origin }));
    expect([origin, response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      origin,
      200,
      origin,
    ]);
    expect(response.headers.get('vary')).toMatch(/Origin/);
  }
  for (const origin of ['https://b.example', 'null']) {
    const foreign = await app.request(...call(MESSAGE, { origin }));
    expect([origin, foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([
      origin,
      403,
      null,
    ]);
  }
});
