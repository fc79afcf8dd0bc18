import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { classifyMailError, describeFault } from '../../server/mail/faults.ts';
import { openMailer, TIMEOUTS } from '../../server/mail/transport.ts';
import { deliveredWith, noteDelivered } from '../../server/messages/last-done.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { asciiAddress } from '../../settings/checks.ts';
import type { Settings } from '../../settings/settings.ts';
import { shortPath } from '../../settings/settings.ts';
import { DESK_CONNECTION } from '../desk.ts';
import { about, type Finding } from './check.ts';
import { examine } from './examine.ts';

const subject = about('messages', 'test-mail', 'Test mail');
/** As long as a virus scanner may take. */
const PATIENCE_MS = 2 * TIMEOUTS.content;

/** Logs in to the mail server of `.env`, and mails the owner a few words. Says what she needs to know. */
export async function tryMail(settings: Settings): Promise<Finding[]> {
  const wrong = (await examine(['smtp'], {})).filter(({ verdict }) => verdict === 'wrong');
  return wrong.length > 0 ? wrong : [await send(settings)];
}

async function send(settings: Settings): Promise<Finding> {
  const { mail, mailFrom, contactEmail } = settings;
  const id = randomUUID();
  const text =
    'This is a test from the settings of your site, and it has arrived. There is nothing to answer.';
  const mailer = openMailer(settings);
  try {
    await mailer.send(
      {
        id,
        from: mailFrom,
        to: { name: '', address: asciiAddress(contactEmail) },
        subject: 'A test of your site’s mail',
        messageId: `<${id}@${mailFrom.address.split('@')[1]}>`,
        at: Date.now(),
        isAutomatic: true,
        text,
        html: `<p>${text}</p>`,
      },
      AbortSignal.timeout(PATIENCE_MS),
    );
    if (mail.via === 'folder')
      return subject.look(
        `Written to ${shortPath(mail.folder)} as a file.`,
        'Choose a mail provider to have mails sent.',
      );
    await noteTaken(settings);
    return subject.ok(
      `${mailer.destination} took it for ${contactEmail}. Look in your inbox, and in Junk if it isn’t there.`,
    );
  } catch (error) {
    const fault = describeFault(classifyMailError(error).label);
    return subject.wrong(
      `It wasn’t sent: ${fault}.`,
      'Is the sender an address that your mail server lets you write from?',
    );
  } finally {
    mailer.close();
  }
}

/** As the server does with each mail. Without a database there's nothing to note. */
async function noteTaken(settings: Settings): Promise<void> {
  const { database: setting } = settings;
  if (setting.engine === 'sqlite' && !existsSync(setting.file)) return;
  const database = await openDatabase(setting, DESK_CONNECTION).catch(() => undefined);
  if (!database) return;
  await noteDelivered(database, deliveredWith(settings), Date.now()).catch(() => undefined);
  await database.close();
}
