import type { FaultKind } from '../mail/faults.ts';

const WORDS: Record<FaultKind, string> = {
  retry: 'The mail server asks to try again later',
  unreachable: 'The mail server could not be reached',
  setup: 'The mail server refuses our login or sender: check SMTP_URL and MAIL_FROM',
  refused: 'The mail server refuses this mail',
};

/**
 * Why a mail did not go out, for the owner.
 *
 * @param label what the database remembers, for instance `refused smtp-550`
 */
export function faultWords(label: string): string {
  const [kind = '', code = ''] = label.split(' ', 2);
  const words = Object.hasOwn(WORDS, kind) ? WORDS[kind as FaultKind] : 'The mail could not be sent';
  return `${words} (${code || kind})`;
}
