import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import type { MailBox } from '../settings/checks.ts';
import type { FaultKind, Mail, Mailer, MailFault } from './mail.ts';

/** The longest `retry-after` that's waited for here; the outbox handles longer ones. */
const PATIENCE_MS = 5_000;
const MOST_WAITS = 5;

/** Resend, or a proxy before it, didn't accept the mail. Contains nothing of the mail. */
export class ResendError extends Error {
  override name = 'ResendError';
  readonly fault: MailFault;

  /**
   * @param status can be 200, from something that isn't Resend
   * @param reason Resend's error name, such as `validation_error`, or empty
   */
  constructor(status: number, reason: string, message: string) {
    super(`Resend answered ${status} ${reason}`);
    const kind = kindOf(status, reason, message);
    this.fault = { kind, label: `${kind} resend-${status}${reason && `-${reason}`}` };
  }
}

/** See https://resend.com/docs/api-reference/errors. A proxy's answer has a status only. */
function kindOf(status: number, reason: string, message: string): FaultKind {
  if (isQuota(reason) || reason === 'invalid_from_address') return 'setup';
  if (status === 401 || status === 403 || status === 404 || status === 405) return 'setup';
  // 409: a call with this idempotency key is in progress, or had another body; keys expire after a day.
  if (status === 409 || status === 429 || status === 500) return 'retry';
  // Every mail has the same sender and recipient.
  if (status === 400 || status === 422) return /`(from|to)` field/.test(message) ? 'setup' : 'refused';
  // Resend's "security_error", about the mail's content.
  return status === 451 ? 'refused' : 'unreachable';
}

function isQuota(reason: string): boolean {
  return reason === 'daily_quota_exceeded' || reason === 'monthly_quota_exceeded';
}

/** Empty for what isn't Resend's. */
const ANSWER = v.fallback(
  v.pipe(
    v.string(),
    v.parseJson(),
    v.object({
      id: v.fallback(v.optional(v.string()), undefined),
      name: v.fallback(v.pipe(v.string(), v.regex(/^[a-z_]{1,60}$/)), ''),
      message: v.fallback(v.string(), ''),
    }),
  ),
  { id: undefined, name: '', message: '' },
);

/**
 * Sends by HTTP, for hosts that block SMTP. The Message-ID is the idempotency key, so that a call whose answer was lost can
 * be repeated within 24 hours without a second mail.
 */
export function openResend(apiKey: string, baseUrl: string, callMs: number): Mailer {
  return {
    async send(mail, signal) {
      for (let waits = 0; ; waits += 1) {
        const response = await fetch(`${baseUrl}/emails`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${apiKey}`,
            'content-type': 'application/json',
            'idempotency-key': mail.messageId.slice(1, -1).slice(0, 256),
            // Resend refuses calls without one.
            'user-agent': 'contact-form',
          },
          body: JSON.stringify(bodyOf(mail)),
          // Never hand the mail and the key to another host.
          redirect: 'error',
          signal: AbortSignal.any([signal, AbortSignal.timeout(callMs)]),
        });
        const { id, name: reason, message } = v.parse(ANSWER, await response.text());
        if (response.ok && id !== undefined) return;
        const waitMs = Number(response.headers.get('retry-after')) * 1000;
        const isBusy = response.status === 429 && !isQuota(reason) && waitMs > 0 && waitMs <= PATIENCE_MS;
        if (!isBusy || waits === MOST_WAITS) throw new ResendError(response.status, reason, message);
        await wait(waitMs, undefined, { signal });
      }
    },
    destination: new URL(baseUrl).host,
    close: () => undefined,
  };
}

function bodyOf({ from, to, replyTo, subject, text, html, messageId, references }: Mail) {
  const answerTo = replyTo && oneAddress(replyTo);
  return {
    // The owner's own name, from the settings.
    from: from.name ? `"${from.name.replace(/["\\]/g, '\\$&')}" <${from.address}>` : from.address,
    to: [to.address],
    ...(answerTo && { reply_to: [answerTo] }),
    subject,
    text,
    html,
    headers: {
      'Message-ID': messageId,
      'Auto-Submitted': 'auto-generated',
      ...(references && { References: references }),
    },
  };
}

/**
 * Resend takes addresses as strings, so a visitor's name is only included if no character in it could end it. An address
 * that browsers accept but mail doesn't would get the whole mail refused; it's in the mail's text anyway.
 */
function oneAddress({ name, address }: MailBox): string | undefined {
  if (/^\.|\.\.|\.@/.test(address)) return undefined;
  return /^[\p{L}\p{M}\p{N} .'’-]+$/u.test(name) ? `"${name}" <${address}>` : address;
}
