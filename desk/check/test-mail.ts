import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { NodemailerError } from 'nodemailer';
import { MINUTE } from '../../contract/time.ts';
import { describeFault } from '../../server/mail/faults.ts';
import { type Mail, openMailer } from '../../server/mail/transport.ts';
import type { Database } from '../../server/messages/database.ts';
import { eraseMessages } from '../../server/messages/erase.ts';
import { FILED } from '../../server/messages/last-done.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { messageWithId } from '../../server/messages/queries.ts';
import { isOne } from '../../server/messages/table.ts';
import { span } from '../../server/messages/time.ts';
import type { Settings } from '../../settings/settings.ts';
import { DESK_CONNECTION } from '../command/command.ts';
import { deskMail } from '../door/mails.ts';
import { about, type Check, type Finding, fieldOf } from './finding.ts';
import { describeMailFault } from './mail-out.ts';
import { describeForm, parseJson, post } from './server.ts';

const subject = about('test-mail', 'Test email');
const delivered = about('delivered', 'Emails accepted');

const LOOK_AGAIN_MS = 200;
const PATIENCE_MS = 2 * MINUTE;
const LOOK_AT_DATABASE = 'Look at the line “Database” first.';
const IS_DOWN = 'Look at the line “Server” first.';
const AGAIN = 'Do what the lines about mail and the server’s log say, and try again.';

/** Whether a mail has come through with the current settings, or comes through right now. */
export const testMail: Check = async ({ settings, ownUrl, sendTest, now, database }) => {
  const { state, ...report } = await database();
  if (sendTest && (state === 'ok' || state === 'older')) return [await sendTestMail(settings, ownUrl)];
  // Without a database, we couldn't watch the test message or delete it afterwards.
  if (sendTest) return [subject.look('Not sent: there’s no database to watch it in.', LOOK_AT_DATABASE)];
  // A Supabase function has its own settings, which we can't see from here.
  if (!('queue' in report) || settings.mail.via === 'folder' || settings.supabaseUrl) return [];
  const { deliveredAt } = report.queue;
  if (deliveredAt !== undefined) {
    const ago = span(Math.max(0, now - deliveredAt));
    return [delivered.ok(`With these settings, your mail server accepted an email ${ago} ago.`)];
  }
  const found = 'With these settings, your mail server hasn’t accepted an email yet.';
  return [delivered.look(found, 'Send yourself a test.', fieldOf('SMTP_URL'))];
};

/** Sends a message as a visitor would, waits until its mail was accepted, then deletes it so that it counts nowhere. */
export async function sendTestMail(settings: Settings, ownUrl: string, patienceMs = PATIENCE_MS) {
  const origin = settings.supabaseUrl ?? ownUrl;
  await using database = await openDatabase(settings.database, DESK_CONNECTION);
  const answer = await post(origin, settings, testMessage(settings));
  const id = 'text' in answer && answer.status === 200 ? parseJson(answer.text).id : undefined;
  if (typeof id === 'string')
    return await watch(id, settings, database, patienceMs).finally(() =>
      eraseMessages(database, isOne(id), settings.mailDir),
    );
  const { found, todo = AGAIN } = describeForm(answer, origin);
  const isDown = 'failed' in answer && origin === ownUrl;
  return subject.wrong(`It couldn’t be sent through the form. ${found}`, isDown ? IS_DOWN : todo);
}

/** Different each time, or the server would treat it as a repeat of the last one. */
function testMessage({ contactEmail }: Settings) {
  return {
    name: 'Test of your contact form',
    email: contactEmail,
    message: `This is a test, and nobody wrote it: you, or a program of yours, ran the check of your site.

It took the same route as every message: through the form, into the database, and from there to you. There’s nothing to answer, and it’s erased once its email is sent.

Test ${randomUUID()}`,
  };
}

async function watch(id: string, settings: Settings, database: Database, forMs: number): Promise<Finding> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < forMs) {
    const stored = await messageWithId(database, id);
    if (!stored) return subject.wrong('It was stored, but not in this desk’s database.', LOOK_AT_DATABASE);
    if (stored.last_error && stored.last_error !== FILED) {
      const why = describeFault(stored.last_error);
      return subject.wrong(`It was stored, but not mailed to you as it is: ${why}.`, AGAIN);
    }
    if (stored.state === 'sent') {
      // A Supabase function has its own mail settings, and no folder.
      const isFile = settings.mail.via === 'folder' && !settings.supabaseUrl;
      const address = settings.supabaseUrl ? 'your project’s CONTACT_EMAIL' : settings.contactEmail;
      const taken = `accepted for ${address}`;
      const how = isFile ? 'written to a file, which is then removed' : taken;
      return subject.ok(`Sent through the form, stored, and ${how}. Message-ID: ${stored.message_id}`);
    }
    await wait(LOOK_AGAIN_MS);
  }
  return subject.wrong(`It was stored, but not mailed within ${span(forMs)}.`, AGAIN);
}

/** Mails the owner, without the form: a few words, unless another mail is given. Says what's wrong, or nothing. */
export async function tryMail(settings: Settings, given?: Mail | false): Promise<Finding | undefined> {
  if (settings.mail.via === 'folder') return undefined;
  const words = [
    'This is a test from the settings of your site, and it has arrived. There’s nothing to answer.',
  ];
  const mail = given || deskMail(settings, { subject: 'A test of your site’s mail', words });
  try {
    await openMailer(settings)(mail, AbortSignal.timeout(PATIENCE_MS));
    return undefined;
  } catch (error) {
    return describeMailFault(error as NodemailerError, settings.mail, settings);
  }
}
