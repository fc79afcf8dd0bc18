import { expect, onTestFinished, test } from 'vitest';
import type { Message } from '../messages/message.ts';
import { readSettings } from '../settings/settings.ts';
import { call, claimed, MESSAGE, openTestService } from '../tests/open-test-service.ts';
import { RESEND_KEY, startResendServer } from '../tests/resend-server.ts';
import { classifyMailError } from './faults.ts';
import { openMailer } from './mailer.ts';
import { composeNotification } from './notification.ts';

const SHORT = { connectionTimeout: 400, greetingTimeout: 400, socketTimeout: 400, dnsTimeout: 400 };

async function open(env: Record<string, string> = {}, timeouts?: typeof SHORT) {
  const server = await startResendServer();
  onTestFinished(() => server.close());
  const settings = readSettings({
    RESEND_API_KEY: RESEND_KEY,
    RESEND_BASE_URL: server.url,
    MAIL_FROM: 'Web, "form" <web@example.com>',
    CONTACT_EMAIL: 'owner@example.com',
    ...env,
  });
  const mailer = openMailer(settings.mail, undefined, timeouts);
  /** `sent`, or the failure's label. */
  async function send(message: Message = claimed(), signal = AbortSignal.timeout(60_000)): Promise<string> {
    try {
      await mailer.send(composeNotification(message, settings), signal);
      return 'sent';
    } catch (error) {
      return classifyMailError(error).label;
    }
  }
  return { server, settings, mailer, send };
}

test('a mail goes out as one call with everything that a mail has', async () => {
  const { server, mailer, send } = await open();
  expect(mailer.destination).toBe(new URL(server.url).host);
  expect(await send()).toBe('sent');
  expect(server.sent).toHaveLength(1);
  expect(server.sent[0]).toMatchObject({
    from: '"Web, \\"form\\"" <web@example.com>',
    to: ['owner@example.com'],
    reply_to: ['"Ana Souza" <ana@example.org>'],
    subject: expect.stringContaining('Ana Souza'),
    text: expect.stringContaining(MESSAGE.message),
    html: expect.stringContaining(MESSAGE.message),
    headers: { 'Message-ID': '<01a1fb9c@example.com>', 'Auto-Submitted': 'auto-generated' },
  });
});

test.each([
  ['x, other@example.com', 'ana@example.org', ['ana@example.org']],
  ['Ana" <other@example.com>, "', 'ana@example.org', ['ana@example.org']],
  ['Ana\\', 'ana@example.org', ['ana@example.org']],
  ['Zoë O’Neill-李', 'zoe@example.org', ['"Zoë O’Neill-李" <zoe@example.org>']],
  ['Dot', 'a..b@example.org', undefined],
  ['Dot', '.ab@example.org', undefined],
])('an answer goes to one address at most, for %s <%s>', async (name, email, replyTo) => {
  const { server, send } = await open();
  expect(await send(claimed({ name, email }))).toBe('sent');
  expect(server.sent[0]?.reply_to).toEqual(replyTo);
  expect(server.sent[0]?.to).toEqual(['owner@example.com']);
});

test.each([
  [400, 'validation_error', 'refused'],
  [401, 'missing_api_key', 'setup'],
  [401, 'restricted_api_key', 'setup'],
  [403, 'invalid_api_key', 'setup'],
  [403, 'validation_error', 'setup'],
  [404, 'not_found', 'setup'],
  [405, 'method_not_allowed', 'setup'],
  [409, 'concurrent_idempotent_requests', 'retry'],
  [409, 'invalid_idempotent_request', 'retry'],
  [422, 'validation_error', 'refused'],
  [422, 'invalid_from_address', 'setup'],
  [429, 'rate_limit_exceeded', 'retry'],
  [429, 'daily_quota_exceeded', 'setup'],
  [429, 'monthly_quota_exceeded', 'setup'],
  [451, 'security_error', 'refused'],
  [500, 'application_error', 'retry'],
  [503, 'internal_server_error', 'unreachable'],
] as const)('%i %s means %s', async (status, name, kind) => {
  const { server, send } = await open();
  server.failNext({ status, name });
  expect(await send()).toBe(`${kind} resend-${status}-${name}`);
  expect(server.calls()).toBe(1);
});

test.each(['from', 'to'])('a refusal of our own `%s` is no message’s fault', async (field) => {
  const { server, send } = await open();
  server.failNext({
    status: 422,
    name: 'validation_error',
    message: `Invalid \`${field}\` field. The email …`,
  });
  expect(await send()).toBe('setup resend-422-validation_error');
});

test.each([
  ['a page of something in between', { status: 200, body: '<h1>Log in</h1>' }, 'unreachable resend-200'],
  ['a 200 without an id', { status: 200, body: '{}' }, 'unreachable resend-200'],
  ['a gateway’s page', { status: 502, body: '<h1>Bad gateway</h1>' }, 'unreachable resend-502'],
  ['a name that is a sentence', { status: 422, name: 'Ana Souza' }, 'refused resend-422'],
  ['a redirect', { status: 307 }, 'unreachable error'],
  ['a cut', 'cut', 'unreachable error'],
  ['silence', 'hang', 'unreachable error'],
] as const)('%s is no success', async (_, fault, label) => {
  const { server, send } = await open({}, fault === 'hang' ? SHORT : undefined);
  server.failNext(fault);
  expect(await send()).toBe(label);
  expect(server.sent).toEqual([]);
});

test('nobody listening is unreachable', async () => {
  const { server, send } = await open();
  await server.close();
  expect(await send()).toMatch(/^unreachable/);
});

test('too many calls a second are made again after the wait that was asked for, within one attempt', async () => {
  const { server, send } = await open();
  server.failNext({ status: 429, name: 'rate_limit_exceeded', retryAfter: '0.02' }, 3);
  expect(await send()).toBe('sent');
  expect(server.calls()).toBe(4);
  server.failNext({ status: 429, name: 'rate_limit_exceeded', retryAfter: '0.01' }, 6);
  expect(await send(claimed({ messageId: '<other@example.com>' }))).toBe(
    'retry resend-429-rate_limit_exceeded',
  );
  server.failNext({ status: 429, name: 'rate_limit_exceeded', retryAfter: '3600' });
  expect(await send(claimed({ messageId: '<third@example.com>' }))).toBe(
    'retry resend-429-rate_limit_exceeded',
  );
  expect(server.calls()).toBe(11);
});

test('a stop ends the wait', async () => {
  const { server, send } = await open();
  server.failNext({ status: 429, name: 'rate_limit_exceeded', retryAfter: '5' });
  const stop = new AbortController();
  const sending = send(claimed(), stop.signal);
  await expect.poll(() => server.calls()).toBe(1);
  stop.abort();
  expect(await sending).toMatch(/^unreachable/);
});

test('a mail whose answer was lost is sent again under its own key, and goes out once', async () => {
  const { server, send } = await open();
  server.failNext('taken and cut');
  expect(await send()).toMatch(/^unreachable/);
  expect(await send()).toBe('sent');
  expect([server.calls(), server.sent.length]).toEqual([2, 1]);
});

test('a wrong key keeps every message and pauses; once it is right, all go out', async () => {
  const { server } = await open();
  const service = await openTestService({ RESEND_API_KEY: RESEND_KEY, RESEND_BASE_URL: server.url });
  await service.app.request(...call());
  server.failNext({ status: 403, name: 'invalid_api_key' });
  expect(await service.outbox.runDue({ now: service.clock.now })).toMatchObject({ sent: 0, setAside: 0 });
  expect(service.lines.join('')).toMatch(/NO MAIL GOES OUT.*RESEND_API_KEY/);
  expect(service.lines.join('')).toContain('setup resend-403-invalid_api_key');
  service.clock.now += 60_000;
  expect(await service.outbox.runDue({ now: service.clock.now })).toMatchObject({ sent: 1 });
  expect(server.sent).toHaveLength(1);
});

test('neither the key nor what the visitor typed stands in the log when a call is refused', async () => {
  const { server } = await open();
  const service = await openTestService({ RESEND_API_KEY: RESEND_KEY, RESEND_BASE_URL: server.url });
  await service.app.request(...call());
  server.failNext({ status: 422, name: 'validation_error', message: `Invalid reply_to ${MESSAGE.email}` });
  expect(await service.outbox.runDue({ now: service.clock.now })).toMatchObject({ setAside: 1 });
  const log = service.lines.join('');
  expect(log).toContain('refused resend-422-validation_error');
  for (const secret of [RESEND_KEY, ...Object.values(MESSAGE)]) expect(log).not.toContain(secret);
});
