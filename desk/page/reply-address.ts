import { mailto, replySubject } from '../../server/mail/mailto.ts';
import type { Message } from '../../server/messages/message.ts';
import type { Settings } from '../../settings/settings.ts';
import { localTime } from '../time.ts';

/** Mail programs take links up to about 2,000 characters; some drop longer ones. */
const LONGEST = 1_900;

export const greeting = ({ name }: Pick<Message, 'name'>): string => `Hi ${name},`;

/** What an answer ends with. */
export function quote({ name, receivedAt }: Message, text: string, timeZone: string): string {
  return `On ${localTime(receivedAt, timeZone)}, ${name} wrote:\n${text.replace(/^/gm, '> ')}`;
}

/**
 * Opens a draft of the answer in a mail program, with the message quoted, shortened if need be. Undefined for an address
 * that the form wouldn't accept.
 */
export function replyAddress(
  message: Message,
  { siteUrl, timeZone }: Pick<Settings, 'siteUrl' | 'timeZone'>,
): string | undefined {
  const addressWith = (text: string) => {
    const body = `${greeting(message)}\n\n\n\n${quote(message, text, timeZone)}`;
    return mailto(message.email, { subject: replySubject(siteUrl), body });
  };
  const whole = addressWith(message.message);
  if (whole === undefined || whole.length <= LONGEST) return whole;
  let address = addressWith('[…]');
  let some = '';
  // As many whole characters as fit.
  for (const character of message.message) {
    some += character;
    const longer = addressWith(`${some} […]`);
    if ((longer?.length ?? 0) > LONGEST) break;
    address = longer;
  }
  return address;
}
