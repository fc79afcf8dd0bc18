import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { eachField } from '../contract/contact.ts';
import type { Clock } from '../messages/clock.ts';
import { describeTime } from '../messages/day.ts';
import { type Message, PROMISED_MS } from '../messages/message.ts';
import { codeOf } from '../messages/store-error.ts';
import type { NotifySetting, Settings } from '../settings/settings.ts';
import { pageName } from './layout.ts';
import type { FaultKind, MailFault } from './mail.ts';
import { oneLine } from './notification.ts';

/** What goes the second way, to a webhook or an ntfy topic. */
export type Notice = {
  /** The same at each attempt. */
  id: string;
  type: 'message.received' | 'test';
  /** In milliseconds since 1970, like the times below. */
  at: number;
  title: string;
  text: string;
  data: object;
};

const ANSWER_MS = 15_000;
/** In code points; ntfy takes 4,096 bytes. */
const MOST_TEXT = 900;
/** Answers that mean later: request timeout, too early, too many requests. */
const LATER = [408, 425, 429];
/** A token or password is missing, wrong or expired, so it's no fault of the notice. */
const LOGIN = [401, 403];

/** A notice wasn't taken. Has nothing of it, and no address. */
export class NoticeError extends Error {
  override name = 'NoticeError';
  readonly fault: MailFault;

  constructor(kind: FaultKind, reason: string) {
    super(`A notice was not taken: ${reason}`);
    this.fault = { kind, label: `${kind} ${reason}` };
  }
}

/** Without the visitor's words unless the owner asked for them. */
export function composeNotice(
  message: Message,
  { notifyWords, siteUrl, timeZone }: Pick<Settings, 'notifyWords' | 'siteUrl' | 'timeZone'>,
): Notice {
  const { id, receivedAt, name, email } = message;
  const dueAt = receivedAt + PROMISED_MS;
  return {
    id,
    type: 'message.received',
    at: receivedAt,
    title: notifyWords ? `New message from ${oneLine(name)}` : `New message on ${pageName(siteUrl)}`,
    text: notifyWords ? `${email}\n\n${message.message}` : `Answer by ${describeTime(dueAt, timeZone)}.`,
    data: {
      id,
      answerDueAt: new Date(dueAt).toISOString(),
      ...(notifyWords && eachField((field) => message[field] ?? '')),
    },
  };
}

export function testNotice(now: number): Notice {
  const title = 'A test of your second way';
  return { id: `test-${now}`, type: 'test', at: now, title, text: 'New messages come like this.', data: {} };
}

/** @throws {NoticeError} if it isn't taken */
export async function postNotice(
  setting: NotifySetting,
  notice: Notice,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const { headers, body } =
    setting.via === 'ntfy' ? forNtfy(setting, notice) : signed(setting, notice, clock.now());
  let response: Response;
  try {
    response = await fetch(setting.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'contact-form', ...headers },
      body,
      // Never to an address that the owner didn't name.
      redirect: 'manual',
      signal: AbortSignal.any([signal, clock.timeout(ANSWER_MS)]),
    });
    await response.body?.cancel();
  } catch (error) {
    const { name, cause } = error instanceof Error ? error : {};
    throw new NoticeError('unreachable', codeOf(cause) || (name === 'TimeoutError' ? 'ETIMEDOUT' : 'error'));
  }
  if (response.ok) return;
  throw new NoticeError(kindOf(response.status), `http-${response.status}`);
}

function kindOf(status: number): FaultKind {
  if (status >= 500) return 'unreachable';
  if (LOGIN.includes(status)) return 'setup';
  return LATER.includes(status) ? 'retry' : 'refused';
}

/** By Standard Webhooks 1.0.0, see https://www.standardwebhooks.com. */
function signed({ secret }: NotifySetting & { via: 'webhook' }, { id, type, at, data }: Notice, now: number) {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
    body,
  };
}

/** As JSON, since a header can't hold every script. See https://docs.ntfy.sh/publish/#publish-as-json. */
function forNtfy({ topic, authorization }: NotifySetting & { via: 'ntfy' }, { title, text }: Notice) {
  const message = [...text].slice(0, MOST_TEXT).join('');
  return {
    headers: authorization ? { authorization } : {},
    body: JSON.stringify({ topic, title, message, tags: ['envelope'] }),
  };
}
