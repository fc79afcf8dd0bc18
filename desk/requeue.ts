import type { Command } from 'commander';
import type { Database } from '../messages/database.ts';
import { anyWaitsFor } from '../messages/queries.ts';
import { markSpam, notSpam, requeue } from '../messages/states.ts';
import type { Desk } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { findMessage } from './messages.ts';
import { count, json, oneLine, write } from './terminal.ts';
import { localTime } from './time.ts';

export function addRequeue(program: Command, desk: Desk): void {
  program
    .command('requeue <id>')
    .description('mail now what was set aside, or waits for its next try: one message, or all')
    .option('--again', 'also a message that has been delivered')
    .action(async (id: string, { again, json: asJson }: { again?: true; json?: true }) => {
      if (again && id === 'all') throw new WrongUsage('--again goes with the id of one message.');
      const database = await desk.database();
      const message = id === 'all' ? undefined : await findMessage(database, id);
      const who = oneLine(message?.name ?? '');
      if (message?.state === 'spam') {
        throw new Failed(
          `The message of ${who} is marked as spam: \`npm run desk not-spam ${id}\` delivers it.`,
        );
      }
      if (message?.state === 'delivered' && !again) {
        const at = localTime(message.deliveredAt ?? message.receivedAt, desk.settings().timeZone);
        throw new Failed(`The message of ${who} was delivered on ${at}. --again sends it once more.`);
      }
      const when = await whenMailed(database);
      const requeued = await requeue(database, message ? { id: message.id, again } : 'all', Date.now());
      if (message && requeued === 0) throw new Failed(`The message of ${who} is on its way just now.`);
      if (asJson) return write(json({ requeued }));
      if (requeued === 0) return write('Nothing was set aside, and nothing waits.\n');
      const them = requeued === 1 ? 'it' : 'them';
      write(`${count(requeued, 'message')} queued. A running server mails ${them} ${when}.\n`);
    });
}

export function addSpam(program: Command, desk: Desk): void {
  program
    .command('spam <id>')
    .description('mark a message as spam: it is kept, and not mailed')
    .action(async (idPart: string, options: { json?: true }) => {
      const database = await desk.database();
      const { id, name } = await findMessage(database, idPart);
      const marked = await markSpam(database, id, Date.now());
      if (!marked) throw new Failed(`The message of ${oneLine(name)} is marked as spam already.`);
      if (options.json) return write(json({ id, state: 'spam' }));
      const onItsWay = marked.wasInHand ? ' Its mail was on its way at that moment.' : '';
      write(`The message of ${oneLine(name)} is marked as spam.${onItsWay}\n`);
    });
}

export function addNotSpam(program: Command, desk: Desk): void {
  program
    .command('not-spam <id>')
    .description('deliver a message that was taken for spam')
    .action(async (idPart: string, options: { json?: true }) => {
      const database = await desk.database();
      const { id, name } = await findMessage(database, idPart);
      const who = oneLine(name);
      const when = await whenMailed(database);
      const state = await notSpam(database, id, Date.now());
      if (!state) throw new Failed(`The message of ${who} is not marked as spam.`);
      if (options.json) return write(json({ id, state }));
      write(
        state === 'delivered'
          ? `The message of ${who} is no spam any more. It had been delivered before.\n`
          : `The message of ${who} is queued. A running server mails it ${when}.\n`,
      );
    });
}

/** When a running server will mail it. Call before requeueing, which clears the last error. */
async function whenMailed(database: Database): Promise<string> {
  // While any do, the outbox pauses for up to half an hour.
  if (await anyWaitsFor(database, 'setup'))
    return 'once the mail server accepts our login: check SMTP_URL and MAIL_FROM, and start it again';
  return database.engine === 'sqlite' ? 'at once' : 'within a minute';
}
