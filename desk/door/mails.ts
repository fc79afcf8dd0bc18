import { randomBytes } from 'node:crypto';
import { mailToOwner, pageName } from '../../server/mail/mails.ts';
import { button, heading } from '../../server/mail/sheet.ts';
import type { Mail } from '../../server/mail/transport.ts';
import { describeTime } from '../../server/messages/time.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Served } from '../sheet/frame.ts';
import { LINK_MS, openKey, openLinks } from './links.ts';
import { deskAddress } from './place.ts';

/** @param until when the link stops working, in milliseconds since 1970 */
export const linkMail = (link: string, until: number, settings: Settings): Mail =>
  deskMail(settings, {
    subject: `Your link to the desk of ${pageName(settings.siteUrl)}`,
    title: 'Your link to the desk',
    words: [
      `It opens your desk once, until ${describeTime(until, settings.timeZone)}.`,
      'If you didn’t ask for it, somebody else pressed the button on your site. Without this email, nobody gets in.',
    ],
    press: { link, words: 'Open my desk' },
  });

/** Asks whether the address in the next settings is the owner's. @param origin where the desk is for her browser */
export async function newAddressMail({ settings, database }: Served, next: Settings, origin: string) {
  const { contactEmail, siteUrl, timeZone } = next;
  const now = Date.now();
  const token = await openLinks(database, openKey(settings)).toNewAddress(contactEmail, now);
  return deskMail(next, {
    subject: `Is this the new address of ${pageName(siteUrl)}?`,
    words: [
      `Open this link by ${describeTime(now + LINK_MS, timeZone)}, in a browser that’s signed in to your desk, and press the button. From then on, what visitors write is mailed to ${contactEmail}.`,
      'If you don’t know this site, somebody mistyped an address. Then do nothing.',
    ],
    press: { link: `${deskAddress(next, origin)}/in/${token}`, words: 'Yes, this is my address' },
  });
}

/** To the former address. */
export const movedMail = (to: string, settings: Settings): Mail =>
  deskMail(settings, {
    subject: `The address of ${pageName(settings.siteUrl)} was changed`,
    words: [
      `What visitors write is mailed to ${to} from now on, and so are links to the desk. All other devices were signed out.`,
      'If you didn’t do that, change CONTACT_EMAIL back on the machine that the site runs on. Then open /desk/devices there, and sign out everywhere.',
    ],
  });

export const newDeviceMail = (name: string, link: string, settings: Settings): Mail =>
  deskMail(settings, {
    subject: `A device signed in to the desk of ${pageName(settings.siteUrl)}`,
    words: [
      `${name} signed in on ${describeTime(Date.now(), settings.timeZone)}.`,
      'If that wasn’t you, sign it out, and find out who else reads your mail.',
    ],
    press: { link, words: 'See my devices' },
  });

type About = { subject: string; title?: string; words: string[]; press?: { link: string; words: string } };

/** A mail to the owner that isn't about a message. */
export function deskMail(settings: Settings, { subject, title = subject, words, press }: About): Mail {
  const now = Date.now();
  const id = `desk-${randomBytes(8).toString('hex')}`;
  // Some mailboxes delay or hide automatic mail, and she's waiting for this.
  const letter = { id, subject, at: now, isAutomatic: false };
  return mailToOwner(settings, letter, {
    preheader: words[0] ?? '',
    title: 'Desk',
    parts: [heading(title, words), press && button(press.words, press.link)],
    titleBlock: { Sent: describeTime(now, settings.timeZone) },
  });
}
