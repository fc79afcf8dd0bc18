import { mailto, replySubject } from '../../server/mail/mailto.ts';
import type { Message } from '../../server/messages/message.ts';
import type { Settings } from '../../settings/settings.ts';
import { localTime } from '../time.ts';

/** Mail programs take links up to about 2,000 characters; some drop longer ones. */
const LONGEST = 1_900;

/**
 * Opens a draft of the answer in a mail program, with the message quoted, shortened if need be. Undefined for an address
 * that the form wouldn't accept.
 */
export function replyAddress(
  { name, email, message, receivedAt }: Message,
  { siteUrl, timeZone }: Pick<Settings, 'siteUrl' | 'timeZone'>,
): string | undefined {
  const start = `Hello ${name},\n\n\n\nOn ${localTime(receivedAt, timeZone)}, ${name} wrote:\n`;
  const addressWith = (text: string) =>
    mailto(email, { subject: replySubject(siteUrl), body: start + text.replace(/^/gm, '> ') });
  const whole = addressWith(message);
  if (whole === undefined || whole.length <= LONGEST) return whole;
  let address = addressWith('[…]');
  let quote = '';
  // As many whole characters as fit.
  for (const character of message) {
    quote += character;
    const longer = addressWith(`${quote} […]`);
    if ((longer?.length ?? 0) > LONGEST) break;
    address = longer;
  }
  return address;
}
