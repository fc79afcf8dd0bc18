import { MINUTE } from '../../contract/time.ts';
import { classifyMailError } from '../mail/faults.ts';
import type { Mail, Mailer } from '../mail/transport.ts';

/** For the whole mail. A mail server that takes its full time for each step is done by then; one that trickles isn't. */
const SEND_MS = 15 * MINUTE;

/**
 * Sends a mail, or if the mail server refuses its content, at once the one without its words. What no person wrote isn't
 * tried on with words that are put off, either: a quoted spam would hold it up for days.
 *
 * @param compose given the refusal's label, it makes the one without words
 * @returns that label, if the one without words was taken
 * @throws if neither is taken
 */
export async function sendWholeOrPlain(
  mailer: Mailer,
  compose: (refusal?: string) => Mail,
  stop: AbortSignal,
): Promise<string | null> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(SEND_MS)]);
  const mail = compose();
  try {
    await mailer.send(mail, signal);
    return null;
  } catch (error) {
    const { kind, label } = classifyMailError(error);
    if (kind !== 'refused' && !(kind === 'retry' && mail.isAutomatic)) throw error;
    await mailer.send(compose(label), signal);
    return label;
  }
}
