import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { classifyMailError, describeFault } from '../../server/mail/faults.ts';
import { openMailer, TIMEOUTS } from '../../server/mail/transport.ts';
import type { Database } from '../../server/messages/database.ts';
import { eraseMessages } from '../../server/messages/erase.ts';
import { deliveredWith, lastDelivered, noteDelivered } from '../../server/messages/last-done.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { messageWithId } from '../../server/messages/queries.ts';
import { span } from '../../server/messages/time.ts';
import { asciiAddress } from '../../settings/checks.ts';
import { type Settings, shortPath } from '../../settings/settings.ts';
import { DESK_CONNECTION } from '../desk.ts';
import { about, type Check, type Context, type Finding, fieldOf } from './finding.ts';
import { checkMailServer } from './mail-out.ts';
import { describeForm, formAddress, formHeaders } from './server.ts';
import { ask, parseJson } from './web.ts';

const subject = about('test-mail', 'test-mail', 'Test mail');
const delivered = about('test-mail', 'delivered', 'Mails taken');

const LOOK_AGAIN_MS = 200;
const NOTED_MS = 3_000;
const RUN_AGAIN = 'Do what the lines about mail and the server’s log say, and run this again later.';
const REFUSED = 'Tell your mail provider, with this code, that it refuses mails from your own site.';
/** As long as a mail server may look for viruses. */
const PATIENCE_MS = TIMEOUTS.content + TIMEOUTS.reply;

/** Whether a mail has come through since the settings say what they say now, or comes through right now. */
export const testMail: Check = {
  needs: [
    ...['DATABASE_URL', 'HOST', 'PORT', 'SITE_URL', 'SMTP_URL', 'MAIL_FROM', 'CONTACT_EMAIL'],
    ...['VITE_SUPABASE_URL', 'VITE_SUPABASE_ANON_KEY', 'MAIL_DIR'],
  ],
  limitMs: PATIENCE_MS + 15_000,
  run: async (context, signal) => {
    const { settings, sendTest } = context;
    const report = await context.database();
    if (!sendTest) return 'queue' in report ? judgeDelivered(report.queue.delivered, context) : [];
    const { state, location } = report;
    // Without a database, we couldn't watch the test message or delete it afterwards.
    if (state !== 'ok' && state !== 'older') {
      const found = `${state === 'absent' ? 'there is no database at' : 'nothing can be done with'} ${shortPath(location)}`;
      return [subject.look(`Not sent: ${found}, to watch it in.`, 'Look at the line “Database” first.')];
    }
    const database = await openDatabase(settings.database, DESK_CONNECTION);
    try {
      return [await sendTestMail({ ...context, database, patienceMs: PATIENCE_MS, signal })];
    } finally {
      await database.close();
    }
  },
};

/** @param notes when mails were taken, by the settings of then */
function judgeDelivered(
  notes: Record<string, number>,
  { settings, now }: Pick<Context, 'settings' | 'now'>,
): Finding[] {
  // A Supabase function has its own settings, which we can't see from here.
  if (settings.mail.via === 'folder' || settings.supabaseUrl) return [];
  const at = notes[deliveredWith(settings)];
  if (at !== undefined) {
    const ago = span(Math.max(0, now - at));
    return [delivered.ok(`With these settings, your mail server took a mail ${ago} ago.`)];
  }
  const todo = 'Send yourself a test, under Settings, or with npm run desk -- doctor --send-test';
  const found = 'With these settings, your mail server hasn’t taken a mail yet.';
  return [delivered.look(found, todo, fieldOf('SMTP_URL'))];
}

type Options = Pick<Context, 'settings' | 'ownUrl'> & {
  database: Database;
  /** How long the mail may take, in milliseconds. */
  patienceMs: number;
  signal: AbortSignal;
};

/**
 * Sends a message as a visitor would, waits until the mail server has accepted its mail, then deletes it so that it
 * doesn't count in any figures.
 */
export async function sendTestMail(options: Options): Promise<Finding> {
  const { settings, ownUrl, database, signal } = options;
  const startedAt = performance.now();
  const headers = { ...formHeaders(settings), 'idempotency-key': randomUUID() };
  const init = { method: 'POST', headers, body: JSON.stringify(testMessage(settings)) };
  let url = formAddress(settings, ownUrl);
  let answer = await ask(url, signal, init);
  if ('failed' in answer && !settings.supabaseUrl) {
    // Some networks don't let a machine reach its own public address; the form check reports that.
    url = formAddress({ ...settings, siteUrl: undefined }, ownUrl);
    answer = await ask(url, signal, init);
  }
  const id = 'text' in answer && answer.status === 200 ? parseJson(answer.text).id : undefined;
  if (typeof id !== 'string') {
    const { found, todo = RUN_AGAIN } = describeForm(answer, url, settings);
    return subject.wrong(`It couldn’t be sent through the form. ${found}`, todo);
  }
  try {
    return await watch(id, new URL(url).host, startedAt, options);
  } finally {
    await eraseMessages(database, { id }, { mailDir: settings.mailDir, now: Date.now() });
  }
}

/** Different each time, or the server would treat it as a repeat of the last one. */
function testMessage({ contactEmail }: Settings) {
  return {
    name: 'Test of your contact form',
    email: contactEmail,
    message: `This is a test, and nobody wrote it: you, or a program of yours, ran the check of your site.

It took the way of every message: through the form’s address, into the database, and from there to you. That you read this means that all of it works. There is nothing to answer, and nothing was kept.

Test ${randomUUID()}`,
  };
}

async function watch(id: string, host: string, startedAt: number, options: Options): Promise<Finding> {
  const { settings, database, patienceMs, signal } = options;
  let deliveredAfter: number | undefined;
  for (;;) {
    const stored = await messageWithId(database, id, Date.now());
    const took = performance.now() - startedAt;
    if (!stored) {
      return subject.wrong(
        `It was taken, but is not in ${shortPath(database.location)}: that server stores messages elsewhere.`,
        'Use the server’s DATABASE_URL here; the test is still in that database.',
      );
    }
    const { state, lastError, messageId } = stored;
    if (state === 'sent' && lastError)
      return subject.wrong(
        `It was mailed to you only without its words: ${describeFault(lastError)}.`,
        REFUSED,
      );
    if (state === 'set_aside' || (state !== 'sent' && lastError !== null))
      return subject.wrong(`It was stored, but not mailed: ${describeFault(lastError)}.`, RUN_AGAIN);
    if (state === 'sent') {
      deliveredAfter ??= took;
      // The server notes it right after the message.
      if (await isNoted(options)) {
        const way = `Sent through the form at ${host}, stored, and`;
        const when = `within ${span(deliveredAfter)}. Message-ID: ${messageId}`;
        // A Supabase function has its own mail settings, and no folder.
        return settings.mail.via === 'folder' && !settings.supabaseUrl
          ? subject.ok(
              `${way} written to ${shortPath(settings.mailDir)} as a file ${when}, which is removed again.`,
            )
          : subject.ok(
              `${way} accepted for ${settings.contactEmail} ${when}. Check that it’s in your inbox and not in the spam folder.`,
            );
      }
      if (took - deliveredAfter > NOTED_MS)
        return subject.wrong(
          'It was stored and called mailed, but by a server with other mail settings than these.',
          'Start the site anew, and run this again.',
        );
    } else if (took > patienceMs || signal.aborted)
      return subject.wrong(`It was stored, but not mailed within ${span(patienceMs)}.`, RUN_AGAIN);
    await wait(LOOK_AGAIN_MS);
  }
}

/** Whether the server's mails go where these settings say. A Supabase function has its own. */
async function isNoted({ settings, database }: Options): Promise<boolean> {
  if (settings.supabaseUrl || settings.mail.via === 'folder') return true;
  return deliveredWith(settings) in (await lastDelivered(database));
}

/** Logs in to a mail server, and mails the owner a few words, without the form. Says what she needs to know. */
export async function tryMail(settings: Settings): Promise<Finding[]> {
  const wrong = (await checkMailServer(settings)).filter(({ verdict }) => verdict === 'wrong');
  return wrong.length > 0 ? wrong : [await sendFewWords(settings)];
}

async function sendFewWords(settings: Settings): Promise<Finding> {
  const { mail, mailFrom, contactEmail } = settings;
  const id = randomUUID();
  const text =
    'This is a test from the settings of your site, and it has arrived. There is nothing to answer.';
  const mailer = openMailer(settings);
  try {
    await mailer.send(
      {
        ...{ id, from: mailFrom, text, html: `<p>${text}</p>`, at: Date.now(), isAutomatic: true },
        to: { name: '', address: asciiAddress(contactEmail) },
        subject: 'A test of your site’s mail',
        messageId: `<${id}@${mailFrom.address.split('@')[1]}>`,
      },
      AbortSignal.timeout(PATIENCE_MS),
    );
  } catch (error) {
    const fault = describeFault(classifyMailError(error).label);
    const todo = 'Is the sender an address that your mail server lets you write from, and its domain yours?';
    return subject.wrong(`It wasn’t sent: ${fault}.`, todo, fieldOf('MAIL_FROM'));
  }
  if (mail.via === 'folder') {
    const todo = 'Choose a mail provider to have mails sent.';
    return subject.look(`Written to ${shortPath(mail.folder)} as a file.`, todo, fieldOf('SMTP_URL'));
  }
  await noteTaken(settings);
  return subject.ok(
    `${mailer.destination} took it for ${contactEmail}. Look in your inbox, and in Junk if it isn’t there.`,
  );
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
