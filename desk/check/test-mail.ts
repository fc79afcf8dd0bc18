import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describeFault } from '../../server/mail/faults.ts';
import { TIMEOUTS } from '../../server/mail/transport.ts';
import type { Database } from '../../server/messages/database.ts';
import { deliveredWith, lastDelivered } from '../../server/messages/last-done.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { erase } from '../../server/messages/owner.ts';
import { messageWithId } from '../../server/messages/queries.ts';
import { span } from '../../server/messages/time.ts';
import { type Settings, shortPath } from '../../settings/settings.ts';
import { DESK_CONNECTION } from '../desk.ts';
import { about, type Check, type CheckContext, type Finding } from './check.ts';
import { describeForm, formAddress, formHeaders } from './form.ts';
import { ask, parseJson } from './web.ts';

const subject = about('messages', 'test-mail', 'Test mail');

const LOOK_AGAIN_MS = 200;
const NOTED_MS = 3_000;
const RUN_AGAIN = 'Do what the lines about mail and the server’s log say, and run this again later.';
/** As long as a mail server may look for viruses. */
const PATIENCE_MS = TIMEOUTS.content + TIMEOUTS.reply;

/** Only runs with `--send-test`, so it's not in the list. */
export const testMail: Check = {
  about: subject,
  needs: [
    ...['DATABASE_URL', 'HOST', 'PORT', 'SITE_URL'],
    ...['VITE_SUPABASE_URL', 'VITE_SUPABASE_ANON_KEY', 'MAIL_DIR'],
  ],
  limitMs: PATIENCE_MS + 15_000,
  run: async (context, signal) => {
    const { state, location } = await context.database();
    // Without a database, we couldn't watch the test message or delete it afterwards.
    if (state !== 'ok' && state !== 'older') {
      const found = `${state === 'absent' ? 'there is no database at' : 'nothing can be done with'} ${shortPath(location)}`;
      return [subject.look(`Not sent: ${found}, to watch it in.`, 'Look at the line “Database” first.')];
    }
    const database = await openDatabase(context.settings.database, DESK_CONNECTION);
    try {
      return [await sendTestMail({ ...context, database, patienceMs: PATIENCE_MS, signal })];
    } finally {
      await database.close();
    }
  },
};

type Options = Pick<CheckContext, 'settings' | 'ownUrl'> & {
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
    const { found, todo } = describeForm(answer, url, settings);
    return subject.wrong(
      `It couldn’t be sent through the form. ${found}`,
      todo ?? 'Look at the line “Contact form”.',
    );
  }
  try {
    return await watch(id, new URL(url).host, startedAt, options);
  } finally {
    await erase(database, { id }, Date.now());
  }
}

/** Different each time, or the server would treat it as a repeat of the last one. */
function testMessage({ contactEmail }: Settings) {
  return {
    name: 'Test of your contact form',
    email: contactEmail,
    message: `This is a test, and nobody wrote it: you, or a program of yours, ran “npm run desk -- doctor --send-test”.

It took the way of every message: through the form’s address, into the database, and from there to you. That you read this means that all of it works. There is nothing to answer, and nothing was kept.

Test ${randomUUID()}`,
  };
}

async function watch(id: string, host: string, startedAt: number, options: Options): Promise<Finding> {
  const { settings, database, patienceMs, signal } = options;
  let delivered: number | undefined;
  for (;;) {
    const stored = await messageWithId(database, id, Date.now());
    if (!stored) {
      return subject.wrong(
        `It was taken, but is not in ${shortPath(database.location)}: that server stores messages elsewhere.`,
        'Use the server’s DATABASE_URL here; the test is still in that database.',
      );
    }
    const took = performance.now() - startedAt;
    if (stored.state === 'sent' && stored.lastError)
      return subject.wrong(
        `It was mailed to you only without its words: ${describeFault(stored.lastError)}.`,
        'Tell your mail provider, with this code, that it refuses mails from your own site.',
      );
    if (stored.state === 'sent') {
      // The server notes it right after the message.
      if (took < patienceMs && !(await isNoted(options))) {
        delivered ??= took;
        if (took - delivered > NOTED_MS)
          return subject.wrong(
            'It was stored and called mailed, but by a server with other mail settings than these.',
            'Start the site anew, and run this again.',
          );
        await wait(LOOK_AGAIN_MS);
        continue;
      }
      const before = `Sent through the form at ${host}, stored, and`;
      const after = `within ${span(took)}. Message-ID: ${stored.messageId}`;
      // A Supabase function has its own mail settings, and no folder.
      return settings.mail.via !== 'folder' || settings.supabaseUrl
        ? subject.ok(
            `${before} accepted for ${settings.contactEmail} ${after}. Check that it’s in your inbox and not in the spam folder.`,
          )
        : removeFile(id, settings, `${before} written to ${shortPath(settings.mailDir)} as a file ${after}`);
    }
    if (stored.state === 'set_aside' || stored.lastError !== null)
      return subject.wrong(`It was stored, but not mailed: ${describeFault(stored.lastError)}.`, RUN_AGAIN);
    if (took > patienceMs || signal.aborted)
      return subject.wrong(`It was stored, but not mailed within ${span(patienceMs)}.`, RUN_AGAIN);
    await wait(LOOK_AGAIN_MS);
  }
}

/** Whether the server's mails go where these settings say. A Supabase function has its own. */
async function isNoted({ settings, database }: Options): Promise<boolean> {
  if (settings.supabaseUrl || settings.mail.via === 'folder') return true;
  return deliveredWith(settings) in (await lastDelivered(database));
}

async function removeFile(id: string, { mailDir }: Settings, found: string): Promise<Finding> {
  const names = await readdir(mailDir).catch(() => []);
  const name = names.find((each) => each.endsWith(`${id}.eml`));
  if (!name) {
    return subject.wrong(
      `It was stored and called mailed, but there is no file of it in ${shortPath(mailDir)}.`,
      'Use the server’s MAIL_DIR here.',
    );
  }
  await rm(join(mailDir, name));
  return subject.ok(`${found}. The file is removed again.`);
}
