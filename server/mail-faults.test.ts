import { expect, onTestFinished, test } from 'vitest';
import { SMTP_STEPS, type SmtpFault, type SmtpStep, startScriptedSmtp } from '../tests/scripted-smtp.ts';
import { openMailer } from './mail.ts';
import { classifyMailError } from './mail-faults.ts';
import { composeNotification } from './notification.ts';
import { claimed, MESSAGE, openTestService, START } from './open-test-service.ts';
import { readSettings } from './settings.ts';

/** The real ones are 10 and 30 seconds. */
const SHORT = { connectionTimeout: 400, greetingTimeout: 400, socketTimeout: 400, dnsTimeout: 400 };

const CLAIMED = claimed();

async function scripted(fault?: Parameters<typeof startScriptedSmtp>[0]) {
  const server = await startScriptedSmtp(fault);
  onTestFinished(() => server.close());
  return server;
}

async function kindOf(url: string, timeouts?: typeof SHORT): Promise<string> {
  const settings = readSettings({ SMTP_URL: url, MAIL_FROM: 'web@example.com' });
  const mailer = openMailer(settings, timeouts);
  try {
    await mailer.send(composeNotification(CLAIMED, settings), AbortSignal.timeout(60_000));
    return 'sent';
  } catch (error) {
    return classifyMailError(error).kind;
  } finally {
    mailer.close();
  }
}

test('without a fault the scripted server takes the mail', async () => {
  const server = await scripted();
  expect(await kindOf(server.url)).toBe('sent');
  expect(server.taken).toHaveLength(1);
  expect(server.commands).toEqual(['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA']);
});

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

test.each(['hang', 'cut'] as const)(
  'a server that does %s at any step is unreachable, and the mail is kept',
  async (how) => {
    const kinds = await Promise.all(
      SMTP_STEPS.map(async (at) => [at, await kindOf((await scripted({ at, how })).url, SHORT)]),
    );
    expect(kinds).toEqual(SMTP_STEPS.map((at) => [at, 'unreachable']));
  },
);

test('nobody listening is unreachable', async () => {
  const server = await startScriptedSmtp();
  await server.close();
  expect(await kindOf(server.url)).toBe('unreachable');
});

test('an offer of encryption that was taken out of the way is noticed before the password follows', async () => {
  const server = await scripted();
  expect(await kindOf(`${server.url}?requireTLS=true`, SHORT)).toBe('unreachable');
  expect(server.commands).not.toContain('AUTH');
  expect(server.taken).toEqual([]);
});

test.each([454, 554, 'cut', 'hang'] as const)(
  'encryption that ends in %s keeps the password back',
  async (how) => {
    const server = await scripted({ at: 'starttls', how });
    expect(await kindOf(`${server.url}?requireTLS=true`, SHORT)).toBe('unreachable');
    expect(server.commands).not.toContain('AUTH');
  },
);

const FAULTS: { at: SmtpStep; how: SmtpFault }[] = [
  { at: 'greeting', how: 'hang' },
  { at: 'greeting', how: 554 },
  { at: 'auth', how: 535 },
  { at: 'mail', how: 550 },
  { at: 'rcpt', how: 450 },
  { at: 'data', how: 'hang' },
  { at: 'content', how: 'cut' },
  { at: 'content', how: 451 },
];

test.each(FAULTS)('nothing is dropped by $how at $at: it is still waiting', async ({ at, how }) => {
  const server = await scripted({ at, how });
  const { store, outbox } = await openTestService({ SMTP_URL: server.url }, { mailTimeouts: SHORT });
  await store.add(MESSAGE, { now: START });
  expect(await outbox.runDue({ now: START })).toEqual({ sent: 0, failed: 1, setAside: 0 });
  expect(await store.counts()).toMatchObject({ waiting: 1, setAside: 0 });
});
