import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import type { MailBox } from '../settings/checks.ts';
import type { Mail, Mailer } from './mail.ts';

/** What Resend asks to wait once its calls a second are used up; a longer wait is the outbox's business. */
const PATIENCE_MS = 5_000;
const MOST_WAITS = 5;

/** A call that Resend, or something before it, did not answer with "taken". Holds nothing of the mail. */
export class ResendError extends Error {
  override name = 'ResendError';
  /** The HTTP status; 200 for an answer that did not come from Resend. */
  readonly status: number;
  /** Resend's own name for it, such as `validation_error`; empty when the answer had none. */
  readonly reason: string;
  /** Whether the sender or the owner's address is at fault, which every mail has in common. */
  readonly isAboutOurAddress: boolean;

  constructor(status: number, reason: string, isAboutOurAddress = false) {
    super(`Resend answered ${status} ${reason}`);
    this.status = status;
    this.reason = reason;
    this.isAboutOurAddress = isAboutOurAddress;
  }
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

type Options = {
  baseUrl: string;
  /** For the whole call, from the connection to the end of the answer. */
  callMs: number;
};

/**
 * Sends by HTTP, for hosts that close the ports of SMTP. Each call carries the mail's Message-ID as its key:
 * when an answer was lost on its way, the call is made again within 24 hours without a second mail.
 */
export function openResend(apiKey: string, { baseUrl, callMs }: Options): Mailer {
  async function call(mail: Mail, signal: AbortSignal): Promise<{ waitMs: number } | undefined> {
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
    if (response.ok && id !== undefined) return undefined;
    const waitMs = Number(response.headers.get('retry-after')) * 1000;
    if (response.status === 429 && !isQuota(reason) && waitMs > 0 && waitMs <= PATIENCE_MS) return { waitMs };
    const isAboutOurAddress = /`(from|to)` field/.test(message);
    throw new ResendError(response.status, reason, isAboutOurAddress);
  }

  return {
    async send(mail, signal) {
      for (let waits = 0; ; waits += 1) {
        const busy = await call(mail, signal);
        if (!busy) return;
        if (waits === MOST_WAITS) throw new ResendError(429, 'rate_limit_exceeded');
        await wait(busy.waitMs, undefined, { signal });
      }
    },
    destination: new URL(baseUrl).host,
    close: () => undefined,
  };
}

/** What may be sent is used up until tomorrow or next month, whichever mail it is. */
export function isQuota(reason: string): boolean {
  return reason === 'daily_quota_exceeded' || reason === 'monthly_quota_exceeded';
}

function bodyOf({ from, to, replyTo, subject, text, html, messageId, references }: Mail) {
  const answerTo = replyTo && oneAddress(replyTo);
  return {
    from: named(from),
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

/** The owner's own name, from the settings. */
function named({ name, address }: MailBox): string {
  return name ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : address;
}
