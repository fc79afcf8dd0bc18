import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import type { MailBox } from '../settings/checks.ts';
import type { FaultKind, Mail, Mailer, MailFault } from './mail.ts';

/** What Resend asks to wait once its calls a second are used up; a longer wait is the outbox's business. */
const PATIENCE_MS = 5_000;
const MOST_WAITS = 5;

/** A call that Resend, or something before it, did not answer with "taken". Holds nothing of the mail. */
export class ResendError extends Error {
  override name = 'ResendError';
  readonly fault: MailFault;

  /**
   * @param status 200 for an answer that did not come from Resend
   * @param reason Resend's own name for it, such as `validation_error`; empty when the answer had none
   */
  constructor(status: number, reason: string, message: string) {
    super(`Resend answered ${status} ${reason}`);
    const kind = kindOf(status, reason, message);
    this.fault = { kind, label: `${kind} resend-${status}${reason && `-${reason}`}` };
  }
}

/** By https://resend.com/docs/api-reference/errors, and for what stands before it by the status alone. */
function kindOf(status: number, reason: string, message: string): FaultKind {
  if (isQuota(reason) || reason === 'invalid_from_address') return 'setup';
  if (status === 401 || status === 403 || status === 404 || status === 405) return 'setup';
  // 409: a call with this key is still on its way, or was made with other words; the key ends after a day.
  if (status === 409 || status === 429 || status === 500) return 'retry';
  // The sender and the owner's address are the same in every mail.
  if (status === 400 || status === 422) return /`(from|to)` field/.test(message) ? 'setup' : 'refused';
  // Resend's own "security error" about what is in the mail.
  return status === 451 ? 'refused' : 'unreachable';
}

/** What may be sent is used up until tomorrow or next month, whichever mail it is. */
function isQuota(reason: string): boolean {
  return reason === 'daily_quota_exceeded' || reason === 'monthly_quota_exceeded';
}

/** What Resend answers. What something before it answers says nothing. */
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
 * Sends by HTTP, for hosts that close the ports of SMTP. Each call carries the mail's Message-ID as its key:
 * when an answer was lost on its way, the call is made again within 24 hours without a second mail.
 *
 * @param callMs for the whole call, from the connection to the end of the answer
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
            // Without one the service refuses a call.
            'user-agent': 'contact-form',
          },
          body: JSON.stringify(bodyOf(mail)),
          // A mail that goes elsewhere, with the key, is worse than one that goes later.
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
 * Addresses are text here, not objects, so a stranger's name goes along only when it has no character that
 * could end it. An address that browsers accept and mail does not would have the whole mail refused; it
 * stands in the mail's text as well.
 */
function oneAddress({ name, address }: MailBox): string | undefined {
  if (/^\.|\.\.|\.@/.test(address)) return undefined;
  return /^[\p{L}\p{M}\p{N} .'’-]+$/u.test(name) ? `"${name}" <${address}>` : address;
}
