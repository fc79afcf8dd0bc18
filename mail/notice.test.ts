import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { readSettings } from '../settings/settings.ts';
import { claimed, clockAt, START } from '../tests/open-test-service.ts';
import { startWebhookServer } from '../tests/webhook-server.ts';
import { classifyMailError } from './faults.ts';
import { composeNotice, postNotice } from './notice.ts';

const SECRET = `whsec_${Buffer.from('twenty-four bytes, or so').toString('base64')}`;
const SITE = { SITE_URL: 'https://www.example.com', TIME_ZONE: 'UTC' };
const MESSAGE = claimed({ name: 'Zoë 木村', message: `Hello\n${'📦'.repeat(5_000)}` });

async function post(env: Record<string, string>, now = Date.now()): Promise<string> {
  const settings = readSettings({ ...SITE, NOTIFY_WEBHOOK_SECRET: SECRET, ...env });
  if (!settings.notify) throw new Error('nothing is set');
  const clock = clockAt(() => now);
  return postNotice(
    settings.notify,
    composeNotice(MESSAGE, settings),
    clock,
    AbortSignal.timeout(20_000),
  ).then(
    () => 'taken',
    (error: unknown) => classifyMailError(error).label,
  );
}

test('a webhook gets a post that the library of Standard Webhooks accepts, and no other', async () => {
  const { posted, host } = await startWebhookServer();
  const env = { NOTIFY_WEBHOOK_URL: `http://${host}/hook?key=1` };
  expect(await post(env)).toBe('taken');
  expect(await post({ ...env, NOTIFY_WORDS: 'on' }, Date.now() - 10 * 60_000)).toBe('taken');
  const [first, old] = posted;
  if (!first || !old) throw new Error('nothing was posted');
  expect(first.path).toBe('/hook?key=1');
  expect(first.headers['content-type']).toBe('application/json');
  const receiver = new Webhook(SECRET);
  expect(receiver.verify(first.body, first.headers)).toEqual({
    type: 'message.received',
    timestamp: new Date(START).toISOString(),
    data: { id: MESSAGE.id, answerDueAt: '2026-11-22T12:00:00.000Z' },
  });
  expect(first.headers['webhook-id']).toBe(MESSAGE.id);
  expect(() => receiver.verify(first.body.replace('12', '13'), first.headers)).toThrow();
  expect(() => receiver.verify(old.body, old.headers)).toThrow(/old/);
  expect(JSON.parse(old.body).data).toMatchObject({
    name: 'Zoë 木村',
    email: 'ana@example.org',
    message: MESSAGE.message,
  });
});

test('an ntfy topic gets what a phone shows, within the bytes that ntfy takes', async () => {
  const { posted, host } = await startWebhookServer();
  const env = { NOTIFY_WEBHOOK_URL: `ntfy://:tk_1@${host}/my-topic?secure=false` };
  await post(env);
  await post({ ...env, NOTIFY_WORDS: 'on' });
  expect(posted.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/', 'Basic OnRrXzE='],
    ['/', 'Basic OnRrXzE='],
  ]);
  const [plain, words] = posted.map(({ body }) => JSON.parse(body));
  expect(plain).toEqual({
    topic: 'my-topic',
    title: 'New message on www.example.com',
    message: 'Answer by Sunday, November 22, 2026 at 12:00 p.m. UTC.',
    tags: ['envelope'],
  });
  expect(words.title).toBe('New message from Zoë 木村');
  expect(words.message).toMatch(/^ana@example\.org\n\nHello\n📦+$/u);
  expect(Buffer.byteLength(words.message)).toBeLessThan(4096);
});

test('each answer that is not yes has its meaning, and a redirect is not followed', async () => {
  const { posted, answer, host } = await startWebhookServer();
  const other = await startWebhookServer();
  const env = { NOTIFY_WEBHOOK_URL: `http://${host}/` };
  const labels: Record<string, string> = {};
  for (const status of [200, 302, 307, 400, 401, 403, 404, 408, 410, 425, 429, 500, 503]) {
    Object.assign(answer, { status, headers: { location: `http://${other.host}/` } });
    labels[status] = await post(env);
  }
  expect(labels).toEqual({
    200: 'taken',
    302: 'refused http-302',
    307: 'refused http-307',
    400: 'refused http-400',
    401: 'setup http-401',
    403: 'setup http-403',
    404: 'refused http-404',
    408: 'retry http-408',
    410: 'refused http-410',
    425: 'retry http-425',
    429: 'retry http-429',
    500: 'unreachable http-500',
    503: 'unreachable http-503',
  });
  expect(posted).toHaveLength(13);
  expect(other.posted).toEqual([]);
  expect(await post({ NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:9/' })).toMatch(/^unreachable /);
});
