import type { Command } from 'commander';
import type { Database } from '../messages/database.ts';
import type { Message } from '../messages/message.ts';
import { anyWaitsFor } from '../messages/queries.ts';
import { shortId } from '../messages/short-id.ts';
import { markSpam, notSpam, requeue } from '../messages/states.ts';
import type { Desk } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { findMessage } from './messages.ts';
import { count, json, oneLine, write } from './terminal.ts';
import { localTime } from './time.ts';

export function addRequeue(program: Command, desk: Desk): void {
  program
    .command('requeue <id>')
    .description('mail one message now that was set aside or waits, or all of them')
    .option('--again', 'also a message that has been delivered')
    .action(async (id: string, { again, json: asJson }: { again?: true; json?: true }) => {
      if (again && id === 'all') throw new WrongUsage('--again goes with the id of one message.');
      const database = await desk.database();
      const message = id === 'all' ? undefined : await findMessage(database, id);
      const { requeued, said } = await mailAgain(database, message ?? 'all', {
        again,
        timeZone: desk.settings().timeZone,
      });
      write(asJson ? json({ requeued }) : `${said}\n`);
    });
}

/** This and the next two change a message's state. `said` tells the owner. */
export async function mailAgain(
  database: Database,
  which: Message | 'all',
  { again, timeZone }: { again?: boolean | undefined; timeZone: string },
): Promise<{ requeued: number; said: string }> {
  const message = which === 'all' ? undefined : which;
  const who = oneLine(message?.name ?? '');
  if (message?.state === 'spam') {
    throw new Failed(
      `The message of ${who} is marked as spam: \`npm run desk not-spam ${shortId(message.id)}\` delivers it.`,
    );
  }
  if (message?.state === 'delivered' && !again) {
    const at = localTime(message.deliveredAt ?? message.receivedAt, timeZone);
    throw new Failed(`The message of ${who} was delivered on ${at}. --again sends it once more.`);
  }
  const when = await whenMailed(database);
  const requeued = await requeue(database, message ? { id: message.id, again } : 'all', Date.now());
  if (message && requeued === 0) throw new Failed(`The message of ${who} is on its way just now.`);
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

export function addNotSpam(program: Command, desk: Desk): void {
  program
    .command('not-spam <id>')
    .description('deliver a message that was taken for spam')
    .action(async (idPart: string, options: { json?: true }) => {
      const database = await desk.database();
      const message = await findMessage(database, idPart);
      const { state, said } = await letIn(database, message);
      write(options.json ? json({ id: message.id, state }) : `${said}\n`);
    });
}

export async function letIn(database: Database, { id, name }: Message) {
  const who = oneLine(name);
  const when = await whenMailed(database);
  const state = await notSpam(database, id, Date.now());
  if (!state) throw new Failed(`The message of ${who} is not marked as spam.`);
  const said =
    state === 'delivered'
      ? `The message of ${who} is no longer marked as spam. It had already been mailed to you.`
      : `The message of ${who} is queued. A running server mails it ${when}.`;
  return { state, said };
}

/** When a running server will mail it. Call before requeueing, which clears the last error. */
async function whenMailed(database: Database): Promise<string> {
  // While any do, the outbox pauses for up to half an hour.
  if (await anyWaitsFor(database, 'setup'))
    return 'once the mail server accepts our login: check SMTP_URL and MAIL_FROM, and start it again';
  return database.engine === 'sqlite' ? 'at once' : 'within a minute';
}
