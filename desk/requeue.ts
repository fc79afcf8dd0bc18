import type { Database } from '../server/messages/database.ts';
import { markSpam, notSpam, requeue } from '../server/messages/owner.ts';
import { anyWaitsFor } from '../server/messages/queries.ts';
import type { Message } from '../server/messages/table.ts';
import { Failed } from './failures.ts';
import { count, oneLine } from './terminal.ts';
import { localTime } from './time.ts';

// Each returns what the owner reads.

/** Also lets in what was taken for spam. */
export async function mailAgain(
  database: Database,
  { id, name, state, deliveredAt, receivedAt }: Message,
  { again, timeZone }: { again?: boolean; timeZone: string },
): Promise<string> {
  const who = `The message of ${oneLine(name)}`;
  if (state === 'sent' && !again)
    throw new Failed(`${who} was mailed to you already (${localTime(deliveredAt ?? receivedAt, timeZone)}).`);
  const when = await whenMailed(database);
  if (state === 'spam') {
    if ((await notSpam(database, id, Date.now())) === 'sent')
      return `${who} is no longer marked as spam. It had already been mailed to you.`;
  } else if ((await requeue(database, { id, again }, Date.now())) === 0)
    throw new Failed(`${who} is on its way just now.`);
  return `${who} is queued. A running server mails it ${when}.`;
}

export async function mailAllAgain(database: Database): Promise<string> {
  const when = await whenMailed(database);
  const requeued = await requeue(database, 'all', Date.now());
  if (requeued === 0) return 'There’s nothing to mail: no message waits or is set aside.';
  const them = requeued === 1 ? 'it' : 'them';
  return `${count(requeued, 'message')} queued. A running server mails ${them} ${when}.`;
}

export async function takeForSpam(database: Database, { id, name }: Message): Promise<string> {
  const marked = await markSpam(database, id, Date.now());
  if (!marked) throw new Failed(`The message of ${oneLine(name)} is already marked as spam.`);
  const onItsWay = marked.wasInHand ? ' Its mail was on its way at that moment.' : '';
  return `The message of ${oneLine(name)} is marked as spam.${onItsWay}`;
}

/** When a running server will mail it. Call before requeueing, which clears the last error. */
async function whenMailed(database: Database): Promise<string> {
  // While any do, the outbox pauses for up to half an hour.
  if (await anyWaitsFor(database, 'setup'))
    return 'once the mail server accepts our login: check SMTP_URL and MAIL_FROM, and start it again';
  return database.engine === 'sqlite' ? 'at once' : 'within a minute';
}
