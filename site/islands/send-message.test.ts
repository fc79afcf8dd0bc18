import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { eachField, FUNCTION_NAME } from '../../contract/contact-message.ts';
import { portOf } from '../../tests/support/network/free-port.ts';
import { keyHeaders, sendMessage } from './send-message.ts';

const PATH = `/functions/v1/${FUNCTION_NAME}`;
const YES = '{"ok":true}';

/** What comes of a call to a real server that gives this answer there, and says yes anywhere else. */
async function outcomeOf(answer: (to: ServerResponse) => void) {
  const server = createServer((request, response) => {
    if (request.url === PATH) answer(response);
    else response.end(YES);
  });
  const port = await portOf(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const message = eachField((field) => field);
  return sendMessage(message, `http://127.0.0.1:${port}${PATH}`, 'a key', 'some info');
}

test('an older key is a token and is sent as both, any other as apikey alone', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2lnbmF0dXJl';
  expect(keyHeaders(token)).toEqual({ apikey: token, Authorization: `Bearer ${token}` });
  for (const key of ['sb_publishable_test', '', 'eyJ', 'eyJ.only.two.dots.more', 'abc.def.ghi'])
    expect(keyHeaders(key)).toEqual({ apikey: key });
});

test.each<[string, (to: ServerResponse) => void, string]>([
  ['JSON', (to) => to.setHeader('content-type', 'application/json').end(), ''],
  ['HTML', (to) => to.setHeader('content-type', 'text/html').end('<h1>Sign in</h1>'), '<h1>Sign in</h1>'],
  ['what a redirect leads to', (to) => to.writeHead(307, { location: `/new${PATH}` }).end(), YES],
])('a good answer comes as it was sent, whatever it calls itself: %s', async (_, answer, body) => {
  expect(await outcomeOf(answer)).toEqual({ answer: { ok: true, body } });
});

test.each<[string, (to: ServerResponse) => void]>([
  ['a refusal', (to) => to.writeHead(502).end(YES)],
  ['the platform’s own error', (to) => to.setHeader('x-relay-error', 'true').end(YES)],
  ['what a redirect leads to elsewhere', (to) => to.writeHead(307, { location: '/healthz' }).end()],
])('%s isn’t a good answer', async (_, answer) => {
  expect(await outcomeOf(answer)).toEqual({ answer: { ok: false, body: YES } });
});

test('a body that breaks off is no answer', async () => {
  const cut = (to: ServerResponse) =>
    to.writeHead(200, { 'content-length': 999 }).write('{"ok":tr', () => to.socket?.end());
  expect(await outcomeOf(cut)).toHaveProperty('error');
});
