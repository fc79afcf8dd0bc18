import { type Command, Option } from 'commander';
import type { Database } from '../messages/database.ts';
import { anyWaitsFor } from '../messages/queries.ts';
import { requeue } from '../messages/states.ts';
import type { Desk } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { findMessage } from './messages.ts';
import { count, json, oneLine, write } from './terminal.ts';
import { localTime } from './time.ts';

type Options = { all?: true; again?: true; json?: true };

/** When a running server mails what is put back now. Ask before, since putting back forgets why it waited. */
export async function whenMailed(database: Database): Promise<string> {
  // The outbox pauses then for up to half an hour, whatever is put back.
  if (await anyWaitsFor(database, 'setup'))
    return 'once the mail server accepts our login: check SMTP_URL and MAIL_FROM, and start it again';
  return database.engine === 'sqlite' ? 'at once' : 'within a minute';
}

export function addRequeue(program: Command, desk: Desk): void {
  program
    .command('requeue [id]')
    .description('mail now what was set aside, or waits for its next try: one message, or all')
    .addOption(new Option('--all', 'every one').hideHelp())
    .option('--again', 'also a message that has been delivered')
    .option('--json', 'for scripts')
    .action(async (which: string | undefined, { all, again, json: asJson }: Options) => {
      const id = which === 'all' ? undefined : which;
      if (Boolean(all || which === 'all') === (id !== undefined) || (again && id === undefined))
        throw new WrongUsage('Name one message by its id, or say all. --again goes with an id.');
      const database = await desk.database();
      const now = desk.now();
      const message = id === undefined ? undefined : await findMessage(database, id, now);
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
      const requeued = await requeue(database, message ? { id: message.id, again } : 'all', now);
      if (message && requeued === 0) throw new Failed(`The message of ${who} is on its way just now.`);
      if (asJson) return write(json({ requeued }));
      if (requeued === 0) return write('Nothing was set aside, and nothing waits.\n');
      const them = requeued === 1 ? 'it' : 'them';
      write(`${count(requeued, 'message')} queued. A running server mails ${them} ${when}.\n`);
    });
}
