import { expect, test } from 'vitest';
import { readSettings } from '../../settings/settings.ts';
import { claimed } from '../../tests/support/database/message-rows.ts';
import { SMTP_STEPS, startScriptedSmtp } from '../../tests/support/mail/scripted-smtp.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { SAID } from '../../tests/support/service/open-test-service.ts';
import { classifyMailError, describeFault } from './faults.ts';
import { composeNotification } from './mails.ts';
import { openMailer, TIMEOUTS } from './transport.ts';

const SHORT = { connect: 400, reply: 400, content: 400 };
type Fault = NonNullable<Parameters<typeof startScriptedSmtp>[0]>;

/** How a mail to a server with this fault ends. */
async function kindOf({ at, how }: Pick<Fault, 'at' | 'how'>, { timeouts = TIMEOUTS, query = '' } = {}) {
  const server = await untilEnd(startScriptedSmtp({ at, how }));
  const settings = readSettings({ SMTP_URL: server.url + query, MAIL_FROM: 'web@example.com' });
  const mailer = openMailer(settings, timeouts);
  const mail = composeNotification(claimed(), SAID, settings);
  const error: unknown = await mailer.send(mail, AbortSignal.timeout(60_000)).catch((reason) => reason);
  return { kind: error === undefined ? 'sent' : classifyMailError(error).kind, ...server };
}

const CODES = [421, 450, 451, 454, 535, 550, 554] as const;
/** What each of these codes means at each step, in the order of CODES. */
const MEANING: Record<(typeof SMTP_STEPS)[number], string> = {
  greeting: 'unreachable unreachable unreachable unreachable setup unreachable unreachable',
  ehlo: 'unreachable unreachable unreachable unreachable setup unreachable unreachable',
  auth: 'unreachable retry retry retry setup setup setup',
  mail: 'unreachable retry retry retry setup setup setup',
  rcpt: 'unreachable retry retry retry setup mailbox mailbox',
  data: 'unreachable retry retry retry setup refused refused',
  content: 'unreachable retry retry retry setup refused refused',
};

test.each(SMTP_STEPS)('at the step %s each reply code means what it should', async (at) => {
  const kinds = await Promise.all(CODES.map(async (how) => (await kindOf({ at, how })).kind));
  expect(kinds).toEqual(MEANING[at].split(' '));
});

test.each([
  ['content', '552 5.2.2 The mailbox is full', 'mailbox'],
  ['content', '552 Requested mail action aborted: exceeded storage allocation', 'mailbox'],
  ['content', '550-5.2.2 Over quota\r\n550 5.2.2 Over quota', 'mailbox'],
  ['content', '550 5.1.1 No such user', 'mailbox'],
  ['mail', '552 5.2.2 Mailbox full', 'mailbox'],
  ['content', '552 5.3.4 Message too big for system', 'refused'],
  ['content', '552 5.7.0 This message was blocked because of its content', 'refused'],
  ['content', '554 5.7.1 Spam', 'refused'],
  ['content', '554 5.2.252 SendAsDenied; me@example.com not allowed to send as web@example.com', 'setup'],
  ['rcpt', '553 5.7.1 <web@example.com>: Sender address rejected: not owned by user me', 'setup'],
  ['content', '550-5.7.26 Your email has been blocked\r\n550 5.7.26 because it is unauthenticated', 'setup'],
  ['content', '550 5.7.515 Access denied, sending domain does not meet the required level', 'setup'],
  ['content', '550 5.7.1 Rejected by the DMARC policy of example.com', 'setup'],
  ['rcpt', '550 5.7.23 SPF validation failed', 'setup'],
  ['rcpt', '550 5.7.1 Relaying denied', 'setup'],
  ['rcpt', '554 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'setup'],
  ['rcpt', '550 Sender verify failed', 'setup'],
] as const)('at the step %s “%s” means %s', async (at, how, kind) => {
  expect((await kindOf({ at, how })).kind).toBe(kind);
});

test('a server that says nothing or hangs up has the mail only after its final dot', async () => {
  for (const [how, before] of [
    ['hang', 'slow'],
    ['cut', 'unreachable'],
  ] as const) {
    const kinds = SMTP_STEPS.map(async (at) => {
      const { kind, taken } = await kindOf({ at, how }, { timeouts: SHORT });
      return [at, kind, taken.length];
    });
    expect(await Promise.all(kinds)).toEqual(
      SMTP_STEPS.map((at) => {
        if (at === 'content') return [at, 'unsure', 1];
        return [at, at === 'greeting' ? 'unreachable' : before, 0];
      }),
    );
  }
});

test.each([454, 554, 'cut', 'hang'] as const)(
  'encryption that ends in %s keeps the password back',
  async (how) => {
    const { kind, commands } = await kindOf(
      { at: 'starttls', how },
      { timeouts: SHORT, query: '?requireTLS=true' },
    );
    expect(kind).toBe(how === 'hang' ? 'slow' : 'unreachable');
    expect(commands.join()).not.toContain('AUTH');
  },
);

test('whatever else is thrown counts as a mail server out of reach', () => {
  for (const thrown of [undefined, null, 'text', { code: 17 }, new Error()])
    expect(classifyMailError(thrown).label).toBe('unreachable error');
});

test.each([
  ['retry smtp-451', 'the mail server put it off (code 451)'],
  ['unreachable ETIMEDOUT', 'the mail server could not be reached (ETIMEDOUT)'],
  ['retry', 'the mail server put it off'],
  ['unreachable CERT_HAS_EXPIRED', 'the mail server’s certificate isn’t valid (CERT_HAS_EXPIRED)'],
  ['unreachable ETLS', 'the mail server offers no encryption (ETLS)'],
  ['toString EOLD', 'no reason is known (EOLD)'],
  [null, 'no reason is known'],
])('the owner reads the fault %j as “%s”', (label, words) => {
  expect(describeFault(label)).toBe(words);
});
