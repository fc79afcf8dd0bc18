import * as v from 'valibot';
import type { Clock } from '../messages/clock.ts';
import type { MailBox } from '../settings/checks.ts';
import type { FaultKind, Mail, Mailer, MailFault } from './mail.ts';

/** The longest `retry-after` to wait for here; the outbox handles longer ones. */
const PATIENCE_MS = 5_000;
const MOST_WAITS = 5;

/** Resend, or a proxy in front of it, didn't accept the mail. Contains nothing from the mail. */
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

/** See https://resend.com/docs/api-reference/errors. A proxy's response only has a status. */
function kindOf(status: number, reason: string, message: string): FaultKind {
  if (isQuota(reason) || reason === 'invalid_from_address') return 'setup';
  if (status === 401 || status === 403 || status === 404 || status === 405) return 'setup';
  // 409: a call with this idempotency key is in progress, or had a different body. Keys expire after a day.
  if (status === 409 || status === 429 || status === 500) return 'retry';
  // All mail has the same sender and recipient.
  if (status === 400 || status === 422) return /`(from|to)` field/.test(message) ? 'setup' : 'refused';
  // Resend's "security_error", about the mail's content.
  return status === 451 ? 'refused' : 'unreachable';
}

function isQuota(reason: string): boolean {
  return reason === 'daily_quota_exceeded' || reason === 'monthly_quota_exceeded';
}

/** Empty if it isn't from Resend. */
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
 * Sends over HTTP, for hosts that block SMTP. The Message-ID is the idempotency key, so that a call whose response was
 * lost can be retried within 24 hours without sending a second mail.
 */
export function openResend(apiKey: string, baseUrl: string, callMs: number, clock: Clock): Mailer {
  return {
    async send(mail, signal) {
      for (let waits = 0; ; waits += 1) {
        const response = await fetch(`${baseUrl}/emails`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${apiKey}`,
            'content-type': 'application/json',
            'idempotency-key': mail.messageId.slice(1, -1).slice(0, 256),
            // Resend refuses calls without a user agent.
            'user-agent': 'contact-form',
          },
          body: JSON.stringify(bodyOf(mail)),
          // Never send the mail and the key to another host.
          redirect: 'error',
          signal: AbortSignal.any([signal, clock.timeout(callMs)]),
        });
        const { id, name: reason, message } = v.parse(ANSWER, await response.text());
        if (response.ok && id !== undefined) return;
        const waitMs = Number(response.headers.get('retry-after')) * 1000;
        const isBusy = response.status === 429 && !isQuota(reason) && waitMs > 0 && waitMs <= PATIENCE_MS;
        if (!isBusy || waits === MOST_WAITS) throw new ResendError(response.status, reason, message);
        await clock.wait(waitMs, signal);
      }
    },
    destination: new URL(baseUrl).host,
    close: () => undefined,
  };
}

function bodyOf({ from, to, replyTo, subject, text, html, messageId, inReplyTo, references }: Mail) {
  const answerTo = replyTo && oneAddress(replyTo);
  return {
    // Safe in a string: it's the owner's own name, from the settings.
    from: from.name ? `"${from.name.replace(/["\\]/g, '\\$&')}" <${from.address}>` : from.address,
    to: [to.address],
    ...(answerTo && { reply_to: [answerTo] }),
    subject,
    text,
    html,
    headers: {
      'Message-ID': messageId,
      'Auto-Submitted': 'auto-generated',
      ...(inReplyTo && { 'In-Reply-To': inReplyTo }),
      ...(references && { References: references }),
    },
  };
}

/**
 * Resend takes addresses as strings, so a visitor's name is only included if it has no character that could end it.
 * Undefined for an address that browsers accept but mail doesn't: Resend would refuse the whole mail over it, and the
 * address is in the text anyway.
 */
function oneAddress({ name, address }: MailBox): string | undefined {
  if (/^\.|\.\.|\.@/.test(address)) return undefined;
  return /^[\p{L}\p{M}\p{N} .'’-]+$/u.test(name) ? `"${name}" <${address}>` : address;
}
