import { mailto, replySubject } from '../../server/mail/mailto.ts';
import type { Message } from '../../server/messages/message.ts';
import type { Settings } from '../../settings/settings.ts';
import { localTime } from '../time.ts';

/** Mail programs take links up to about 2,000 characters; Windows drops longer ones. */
const LONGEST = 1_900;

/**
 * Opens a draft of the answer in a mail program, with the message quoted, cut short if need be. Undefined for an address
 * that the form wouldn't accept.
 */
export function replyAddress(
  { name, email, message, receivedAt }: Message,
  { siteUrl, timeZone }: Pick<Settings, 'siteUrl' | 'timeZone'>,
): string | undefined {
  const quote = message.replace(/^/gm, '> ');
  const body = `Hi ${name},\n\n\n\nOn ${localTime(receivedAt, timeZone)}, ${name} wrote:\n${quote}`;
  const addressWith = (text: string) => mailto(email, { subject: replySubject(siteUrl), body: text });
  let address = addressWith(body);
  if (address === undefined || address.length <= LONGEST) return address;
  let some = '';
  // As many whole characters as fit.
  for (const character of body) {
    const longer = addressWith(`${some}${character} […]`);
    if (some && (longer?.length ?? 0) > LONGEST) break;
    some += character;
    address = longer;
  }
  return address;
}
