import { expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../../settings/settings.ts';
import { SMTP_STEPS, type SmtpStep, startScriptedSmtp } from '../../tests/support/mail/scripted-smtp.ts';
import { claimed, MESSAGE, openTestService, START } from '../../tests/support/service/open-test-service.ts';
import { classifyMailError } from './faults.ts';
import { MOST_CONNECTIONS, openMailer } from './mailer.ts';
import { composeNotification } from './notification.ts';

/** The real timeouts are 10 and 30 seconds. */
const SHORT = { connectionTimeout: 400, greetingTimeout: 400, socketTimeout: 400, dnsTimeout: 400 };
/** Where a mail has to go through first, however busy the machine is. */
const LONGER = { connectionTimeout: 4_000, greetingTimeout: 4_000, socketTimeout: 4_000, dnsTimeout: 4_000 };

const CLAIMED = claimed();

async function scripted(fault?: Parameters<typeof startScriptedSmtp>[0]) {
  const server = await startScriptedSmtp(fault);
  onTestFinished(() => server.close());
  return server;
}

/** What happens to a mail, or to the second one over the same connection. */
async function kindOf(url: string, timeouts?: typeof SHORT, { second = false } = {}): Promise<string> {
  const settings = readSettings({ SMTP_URL: url, MAIL_FROM: 'web@example.com' });
  const mailer = openMailer(settings.mail, timeouts);
  try {
    if (second) await mailer.send(composeNotification(CLAIMED, settings), AbortSignal.timeout(60_000));
    await mailer.send(composeNotification(CLAIMED, settings), AbortSignal.timeout(60_000));
    return 'sent';
  } catch (error) {
    return classifyMailError(error).kind;
  } finally {
    mailer.close();
  }
}

const CODES = [421, 450, 451, 454, 535, 550, 554] as const;

/** What each of these codes means at each step, in the order of CODES. */
const MEANING: Record<(typeof SMTP_STEPS)[number], string> = {
  greeting: 'unreachable unreachable unreachable unreachable setup unreachable unreachable',
  ehlo: 'unreachable unreachable unreachable unreachable setup unreachable unreachable',
  auth: 'unreachable retry retry retry setup setup setup',
  mail: 'unreachable retry retry retry setup setup setup',
  rcpt: 'unreachable retry retry retry setup refused refused',
  data: 'unreachable retry retry retry setup refused refused',
  content: 'unreachable retry retry retry setup refused refused',
};

test.each(SMTP_STEPS)('at the step %s each reply code means what it should', async (at) => {
  const kinds = await Promise.all(CODES.map(async (how) => kindOf((await scripted({ at, how })).url)));
  expect(Object.fromEntries(CODES.map((code, index) => [code, kinds[index]]))).toEqual(
    Object.fromEntries(CODES.map((code, index) => [code, MEANING[at].split(' ')[index]])),
  );
});

/** Once it has greeted, a server that says nothing may do so to one mail alone. */
const afterHang = (at: SmtpStep) => (at === 'greeting' ? 'unreachable' : 'slow');

test.each([
  ['hangs', 'hang', afterHang],
  ['hangs up', 'cut', () => 'unreachable'],
] as const)('a server that %s at any step keeps no mail from being sent later', async (_, how, kind) => {
  const kinds = await Promise.all(
    SMTP_STEPS.map(async (at) => [at, await kindOf((await scripted({ at, how })).url, SHORT)]),
  );
  expect(kinds).toEqual(SMTP_STEPS.map((at) => [at, kind(at)]));
});

const SECOND_STEPS = ['mail', 'rcpt', 'data', 'content'] as const;

test.each(SECOND_STEPS)(
  'at the step %s each reply code means the same to the second mail over a connection',
  async (at) => {
    const kinds = await Promise.all(
      CODES.map(async (how) =>
        kindOf((await scripted({ at, how, after: 1 })).url, undefined, { second: true }),
      ),
    );
    expect(Object.fromEntries(CODES.map((code, index) => [code, kinds[index]]))).toEqual(
      Object.fromEntries(CODES.map((code, index) => [code, MEANING[at].split(' ')[index]])),
    );
  },
);

test.each(['hang', 'cut'] as const)(
  'what a server does in the middle of the second mail (%s) costs none, and is sent once at most',
  async (how) => {
    const kinds = await Promise.all(
      SECOND_STEPS.map(async (at) => {
        const { url, taken } = await scripted({ at, how, after: 1 });
        // Only a mail that was never fully read may be resent here; the outbox decides about the rest.
        return [at, await kindOf(url, LONGER, { second: true }), taken.length];
      }),
    );
    expect(kinds).toEqual(
      SECOND_STEPS.map((at) => [at, how === 'hang' ? 'slow' : 'unreachable', at === 'content' ? 2 : 1]),
    );
  },
);

test('a connection that the mail server ended between two mails costs the second one no failure', async () => {
  const server = await scripted();
  const settings = readSettings({ SMTP_URL: server.url, MAIL_FROM: 'web@example.com' });
  const mailer = openMailer(settings.mail);
  onTestFinished(() => mailer.close());
  const send = () => mailer.send(composeNotification(CLAIMED, settings), AbortSignal.timeout(60_000));
  await send();
  server.endConnections();
  await send();
  expect(server.taken).toHaveLength(2);
  expect(server.commands.filter((command) => command === 'AUTH')).toHaveLength(2);
});

test('mails that come together share connections, and log in once each', async () => {
  const server = await scripted();
  const { store, outbox } = await openTestService({ SMTP_URL: server.url });
  for (let index = 0; index < 20; index += 1)
    await store.add({ ...MESSAGE, message: `m ${index}` }, { now: START });
  expect(await outbox.runDue({ now: START })).toMatchObject({ sent: 20 });
  expect(server.taken).toHaveLength(20);
  expect(server.commands.filter((command) => command === 'AUTH').length).toBeLessThanOrEqual(
    MOST_CONNECTIONS,
  );
});

test.each([454, 554, 'cut', 'hang'] as const)(
  'encryption that ends in %s keeps the password back',
  async (how) => {
    const server = await scripted({ at: 'starttls', how });
    const kind = how === 'hang' ? 'slow' : 'unreachable';
    expect(await kindOf(`${server.url}?requireTLS=true`, SHORT)).toBe(kind);
    expect(server.commands).not.toContain('AUTH');
  },
);
