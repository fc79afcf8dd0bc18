import type { Command } from 'commander';
import { anyWaitsFor } from '../server/messages/counts.ts';
import type { Database } from '../server/messages/database.ts';
import type { Message, State } from '../server/messages/message.ts';
import { markSpam, notSpam, requeue } from '../server/messages/states.ts';
import type { Desk } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { findMessage } from './find-message.ts';
import { count, json, oneLine, write } from './terminal.ts';
import { localTime } from './time.ts';

export function addRequeue(program: Command, desk: Desk): void {
  program
    .command('requeue <id>')
    .alias('not-spam')
    .description('mail one message now that waits, was set aside or taken for spam; or all that wait')
    .option('--again', 'also a message that has been delivered')
    .action(async (id: string, { again, json: asJson }: { again?: true; json?: true }) => {
      if (again && id === 'all') throw new WrongUsage('--again goes with the id of one message.');
      const database = await desk.database();
      const message = id === 'all' ? undefined : await findMessage(database, id);
      const { timeZone } = desk.settings();
      const { said, ...done } = message
        ? { id: message.id, ...(await mailAgain(database, message, { again, timeZone })) }
        : await mailAllAgain(database);
      write(asJson ? json(done) : `${said}\n`);
    });
}

/** `requeued` is how many. `said` tells the owner; so it does below. */
type Requeued = { requeued: number; said: string };

/** Also lets in what was taken for spam. */
export async function mailAgain(
  database: Database,
  { id, name, state, deliveredAt, receivedAt }: Message,
  { again, timeZone }: { again?: boolean | undefined; timeZone: string },
): Promise<Requeued & { state: State }> {
  const who = `The message of ${oneLine(name)}`;
  if (state === 'delivered' && !again) {
    const at = localTime(deliveredAt ?? receivedAt, timeZone);
    throw new Failed(`${who} was mailed to you already (${at}). --again sends it once more.`);
  }
  const when = await whenMailed(database);
  if (state === 'spam') {
    if ((await notSpam(database, id, Date.now())) === 'delivered') {
      const said = `${who} is no longer marked as spam. It had already been mailed to you.`;
      return { state: 'delivered', requeued: 0, said };
    }
  } else if ((await requeue(database, { id, again }, Date.now())) === 0)
    throw new Failed(`${who} is on its way just now.`);
  return { state: 'waiting', requeued: 1, said: `${who} is queued. A running server mails it ${when}.` };
}

export async function mailAllAgain(database: Database): Promise<Requeued> {
  const when = await whenMailed(database);
  const requeued = await requeue(database, 'all', Date.now());
  if (requeued === 0) return { requeued, said: 'There’s nothing to mail: no message waits or is set aside.' };
  const them = requeued === 1 ? 'it' : 'them';
  return { requeued, said: `${count(requeued, 'message')} queued. A running server mails ${them} ${when}.` };
}

export function addSpam(program: Command, desk: Desk): void {
  program
    .command('spam <id>')
    .description('mark a message as spam: it is kept, and not mailed')
    .action(async (idPart: string, options: { json?: true }) => {
      const database = await desk.database();
      const message = await findMessage(database, idPart);
      const said = await takeForSpam(database, message);
      write(options.json ? json({ id: message.id, state: 'spam' }) : `${said}\n`);
    });
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
