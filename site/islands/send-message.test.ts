import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { clientInfo, eachField, FUNCTION_NAME } from '../../contract/contact-message.ts';
import { portOf } from '../../tests/support/network/free-port.ts';
import { keyHeaders, sendMessage } from './send-message.ts';

const INFO = clientInfo('', 5230.4);
const PUBLISHABLE = 'sb_publishable_test';
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2lnbmF0dXJl';
const message = {
  ...eachField(() => ''),
  name: 'Ada',
  email: 'ada@example.com',
  message: 'Line one\nline two 📦',
};

interface Call {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}
interface Answer {
  status?: number;
  type?: string;
  body?: string;
  headers?: Record<string, string>;
  /** Cuts the connection after this much of the body. */
  cut?: boolean;
}

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** A real server that always gives the same answer and records what it was asked. */
async function answering({
  status = 200,
  type = 'application/json',
  body = '{"ok":true}',
  headers,
  cut,
}: Answer) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    calls.push({ method: request.method, url: request.url, headers: request.headers, body: text });
    response.writeHead(status, {
      'content-type': type,
      ...(cut && { 'content-length': 999 }),
      ...headers,
    });
    if (cut) response.write(body, () => setTimeout(() => response.destroy(), 20));
    else response.end(body);
  });
  const port = await portOf(server);
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { calls, url: `http://127.0.0.1:${port}/functions/v1/${FUNCTION_NAME}` };
}

test('one POST carries each field to the function, and nothing else', async () => {
  const { calls, url } = await answering({});
  const extra = { ...message, leave_this_empty: '' };
  await sendMessage(extra, url, PUBLISHABLE, INFO);
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({ method: 'POST', url: '/functions/v1/send-contact-email' });
  expect(JSON.parse(calls[0]?.body ?? '')).toEqual(message);
  expect(calls[0]?.headers['x-client-info']).toBe('form 5230');
});

test('an older key is a token and is sent as both, any other as apikey alone', async () => {
  const { calls, url } = await answering({});
  await sendMessage(message, url, TOKEN, INFO);
  expect(calls[0]?.headers).toMatchObject({ apikey: TOKEN, authorization: `Bearer ${TOKEN}` });
  for (const key of [PUBLISHABLE, '', 'eyJ', 'eyJ.only.two.dots.more', 'abc.def.ghi'])
    expect(keyHeaders(key)).toEqual({ apikey: key });
});

test.each<[string, Answer]>([
  ['an empty JSON body', { body: '' }],
  ['JSON as plain text', { type: 'text/plain', body: '{}' }],
  ['HTML', { type: 'text/html', body: '<h1>Sign in</h1>' }],
  ['no content', { status: 204, body: '' }],
])('a good answer comes as it was sent: %s', async (_, answer) => {
  const { url } = await answering(answer);
  expect(await sendMessage(message, url, PUBLISHABLE, INFO)).toEqual({
    answer: { ok: true, body: answer.body },
  });
});

test('a body that breaks off is no answer', async () => {
  const { url } = await answering({ body: '{"ok":tr', cut: true });
  expect(await sendMessage(message, url, PUBLISHABLE, INFO)).toHaveProperty('error');
});

test.each([
  ['a refusal', { status: 502, body: '{}' }],
  ['the platform’s own error', { headers: { 'x-relay-error': 'true' }, body: '{}' }],
])('%s isn’t a good answer', async (_, answer) => {
  const { url } = await answering(answer);
  expect(await sendMessage(message, url, PUBLISHABLE, INFO)).toEqual({ answer: { ok: false, body: '{}' } });
});

test('a redirect is followed, and what it leads to is the answer, a good one only from the function', async () => {
  const moved = await answering({});
  for (const [place, ok] of [
    [moved.url, true],
    [moved.url.replace(FUNCTION_NAME, 'healthz'), false],
  ]) {
    const { url } = await answering({ status: 307, headers: { location: String(place) }, body: '' });
    expect(await sendMessage(message, url, PUBLISHABLE, INFO)).toEqual({
      answer: { ok, body: '{"ok":true}' },
    });
  }
});
