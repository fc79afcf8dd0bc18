import { expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../settings/settings.ts';
import { claimed, MESSAGE, openTestService, START } from '../tests/open-test-service.ts';
import { SMTP_STEPS, type SmtpFault, type SmtpStep, startScriptedSmtp } from '../tests/scripted-smtp.ts';
import { classifyMailError, describeFault, retryWait } from './faults.ts';
import { openMailer } from './mailer.ts';
import { NoticeError } from './notice.ts';
import { composeNotification } from './notification.ts';
import { ResendError } from './resend.ts';

/** The real timeouts are 10 and 30 seconds. */
const SHORT = { connectionTimeout: 400, greetingTimeout: 400, socketTimeout: 400, dnsTimeout: 400 };

const CLAIMED = claimed();

async function scripted(fault?: Parameters<typeof startScriptedSmtp>[0]) {
  const server = await startScriptedSmtp(fault);
  onTestFinished(() => server.close());
  return server;
}

/** What happens to a mail, or to the second one over the same connection. */
async function kindOf(url: string, timeouts?: typeof SHORT, { second = false } = {}): Promise<string> {
  const settings = readSettings({ SMTP_URL: url, MAIL_FROM: 'web@example.com' });
  const mailer = openMailer(settings.mail, undefined, timeouts);
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
  'a server that does %s in the middle of the second mail is unreachable, and the mail is kept',
  async (how) => {
    const kinds = await Promise.all(
      SECOND_STEPS.map(async (at) => {
        const { url, taken } = await scripted({ at, how, after: 1 });
        // Only a mail that was never fully read may be resent here; the outbox decides about the rest.
        return [at, await kindOf(url, SHORT, { second: true }), taken.length];
      }),
    );
    expect(kinds).toEqual(SECOND_STEPS.map((at) => [at, 'unreachable', at === 'content' ? 2 : 1]));
  },
);

test('a connection that the mail server ended between two mails costs the second one no failure', async () => {
  const server = await scripted();
  const settings = readSettings({ SMTP_URL: server.url, MAIL_FROM: 'web@example.com' });
  const mailer = openMailer(settings.mail, undefined, SHORT);
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
  expect(server.commands.filter((command) => command === 'AUTH').length).toBeLessThanOrEqual(4);
});

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

test.each([
  [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, 'setup smtp-535'],
  [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 504 }, 'setup smtp-504'],
  [{ code: 'EAUTH', command: 'API' }, 'setup EAUTH'],
  [{ code: 'ENOAUTH', command: 'API' }, 'setup ENOAUTH'],
  [{ code: 'EOAUTH2', command: 'API' }, 'setup EOAUTH2'],
  [{ command: 'AUTH PLAIN' }, 'setup error'],
  [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 530 }, 'setup smtp-530'],
  [{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 500 }, 'refused smtp-500'],
  [{ code: 'EMESSAGE', command: 'DATA', responseCode: 503 }, 'retry smtp-503'],
  [{ code: 'EPROTOCOL', command: 'HELO', responseCode: 502 }, 'unreachable smtp-502'],
  [{ code: 'ESOCKET', command: 'CONN' }, 'unreachable ESOCKET'],
  [{ code: 17 }, 'unreachable error'],
])('an error with %j is labelled %s', (facts, label) => {
  const error = Object.assign(new Error('with the words of the server'), facts);
  expect(classifyMailError(error)).toEqual({ kind: label.split(' ')[0], label });
});

test('whatever else is thrown counts as a mail server out of reach, and a fault of another way keeps its name', () => {
  for (const thrown of [undefined, null, 'text'])
    expect(classifyMailError(thrown).label).toBe('unreachable error');
  expect(classifyMailError(new ResendError(422, 'validation_error', '')).label).toBe(
    'refused resend-422-validation_error',
  );
  expect(classifyMailError(new NoticeError('refused', 'http-410')).label).toBe('refused http-410');
});

test.each([
  ['retry smtp-451', 'the mail server put it off (code 451)'],
  ['unreachable ETIMEDOUT', 'the mail server could not be reached (ETIMEDOUT)'],
  ['setup smtp-535', 'the mail server refuses our login or sender (code 535)'],
  ['refused http-410', 'the mail server refuses it (code 410)'],
  ['setup resend-401', 'the mail server refuses our login or sender (Resend: 401)'],
  ['retry', 'the mail server put it off'],
  ['toString EOLD', 'no reason is known (EOLD)'],
  ['', 'no reason is known'],
  [null, 'no reason is known'],
  [undefined, 'no reason is known'],
])('the owner reads the fault %j as “%s”', (label, words) => {
  expect(describeFault(label)).toBe(words);
});

test('a fault names whoever did not take it', () => {
  expect(describeFault('refused http-410', 'your webhook')).toBe('your webhook refuses it (code 410)');
});

test('waits grow from ten seconds to two or three hours, until five days are over', () => {
  const waits: number[] = [];
  let message = claimed();
  let now = START;
  for (;;) {
    const wait = retryWait(message, now, 0.5);
    if (wait === undefined) break;
    waits.push(wait / 1000);
    message = { ...message, failures: message.failures + 1, firstFailureAt: message.firstFailureAt ?? now };
    now += wait;
  }
  const nominal = [10, 30, 120, 600, 1800, 3600];
  for (const [index, seconds] of nominal.entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(seconds);
    expect(waits[index]).toBeLessThanOrEqual(seconds * 1.2);
  }
  expect(Math.min(...waits.slice(6))).toBeGreaterThanOrEqual(7200);
  expect(Math.max(...waits.slice(6))).toBeLessThanOrEqual(10_800);
  const days = (now - START) / 86_400_000;
  expect(days).toBeGreaterThanOrEqual(5);
  expect(days).toBeLessThan(5.2);
});

test('the wait after each failure is as the plan says, and a little longer or shorter by chance', () => {
  const waits = (random: number) =>
    [0, 1, 2, 3, 4, 5, 6, 10].map(
      (failures) => (retryWait(claimed({ failures, firstFailureAt: START }), START, random) ?? 0) / 1000,
    );
  expect(waits(0)).toEqual([10, 30, 120, 600, 1800, 3600, 10_800, 10_800]);
  expect(waits(1)).toEqual([12, 36, 144, 720, 2160, 4320, 7200, 7200]);
});

test('a message is given up after twelve failures and five days, not before', () => {
  const DAY = 86_400_000;
  const wait = (failures: number, firstFailureAt: number | null, now: number) =>
    retryWait(claimed({ failures, firstFailureAt }), now, 0);
  expect(wait(11, START, START + 5 * DAY)).toBeUndefined();
  expect(wait(11, START, START + 5 * DAY - 1)).toBe(10_800_000);
  expect(wait(10, START, START + 6 * DAY)).toBe(10_800_000);
  expect(wait(11, null, START)).toBe(10_800_000);
});

test('a server that was switched off for a week does not give up at its first attempt after', () => {
  const message = claimed({ failures: 1, firstFailureAt: START });
  expect(retryWait(message, START + 7 * 86_400_000, 0)).toBe(30_000);
});
