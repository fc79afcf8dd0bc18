import type { NodemailerError } from 'nodemailer';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { LONGEST_WAIT_MS } from '../messages/claims.ts';
import type { Message } from '../messages/message.ts';
import type { FaultKind, MailFault } from './mail.ts';

const WORDS: Record<FaultKind, string> = {
  retry: 'the mail server put it off',
  unreachable: 'the mail server could not be reached',
  slow: 'the mail server gave no answer',
  setup: 'the mail server refuses our login or sender',
  refused: 'the mail server refuses it',
};

/** A label in words that the owner understands. */
export function describeFault(label: string | null | undefined): string {
  const [kind = '', code = ''] = label?.split(' ') ?? [];
  const words = Object.hasOwn(WORDS, kind) ? WORDS[kind as FaultKind] : 'no reason is known';
  return code ? `${words} (${code.replace('smtp-', 'code ')})` : words;
}

const CONNECTION_STEPS = ['CONN', 'EHLO', 'HELO', 'STARTTLS'];
/** Wrong or missing credentials, a mechanism that's too weak, authentication required. */
const LOGIN_REPLIES = [530, 534, 535, 538];

export function classifyMailError(error: unknown): MailFault {
  const { code, responseCode, command, timeoutType } = (
    error instanceof Error ? error : {}
  ) as Partial<NodemailerError>;
  const step = command?.split(' ')[0] ?? '';
  const atLogin = step === 'AUTH' || code === 'EAUTH' || code === 'ENOAUTH' || code === 'EOAUTH2';
  // EABORT: our own limit for the whole mail.
  const isSlow = code === 'EABORT' || timeoutType === 'SOCKET_TIMEOUT';
  const kind = isSlow ? 'slow' : kindOf(responseCode, step, atLogin);
  const reason = responseCode ? `smtp-${responseCode}` : typeof code === 'string' ? code : 'error';
  return { kind, label: `${kind} ${reason}` };
}

/**
 * Goes by the reply code, since nodemailer's own `code` only names the step: EAUTH and EENVELOPE can be temporary or
 * permanent.
 */
function kindOf(reply: number | undefined, step: string, atLogin: boolean): FaultKind {
  // Includes a connection lost after the final dot. The mail may have been accepted, but it's sent again with the
  // same Message-ID.
  if (reply === undefined) return atLogin ? 'setup' : 'unreachable';
  if (LOGIN_REPLIES.includes(reply)) return 'setup';
  // 503 (bad sequence) is about the session, not the message.
  const passing = reply < 500 || reply === 503;
  if (passing) return CONNECTION_STEPS.includes(step) || reply === 421 ? 'unreachable' : 'retry';
  // All mail has the same sender, so it's not about this message.
  if (atLogin || step === 'MAIL') return 'setup';
  return CONNECTION_STEPS.includes(step) ? 'unreachable' : 'refused';
}

const FIRST_WAITS = [10_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR];
const GIVE_UP_AFTER = 5 * DAY;
/** Even after days of downtime, a message gets this many attempts. */
const GIVE_UP_FAILURES = 12;

/** How long to wait after another failure; undefined to give up. */
export function retryWait(message: Message, now: number, random: number): number | undefined {
  const failures = message.failures + 1;
  const firstFailureAt = message.firstFailureAt ?? now;
  if (failures >= GIVE_UP_FAILURES && now - firstFailureAt >= GIVE_UP_AFTER) return undefined;
  const first = FIRST_WAITS[failures - 1];
  // Jitter, so that messages that failed together aren't retried together.
  return first === undefined ? LONGEST_WAIT_MS - random * HOUR : first * (1 + random * 0.2);
}
