import { type Command, Option } from 'commander';
import type { Database } from '../messages/database.ts';
import { isBeingMailed } from '../messages/erase.ts';
import { LONGEST_WAIT_MS } from '../messages/store.ts';
import type { Desk } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { findMessage } from './messages.ts';
import { count, json, oneLine, write } from './terminal.ts';
import { localTime } from './time.ts';

type Options = { all?: true; again?: true; json?: true };

/**
 * When a running server mails what is put back now. To be asked before, since putting back forgets why it waited.
 */
export async function whenMailed({ db, engine }: Database): Promise<string> {
  const refused = await db
    .selectFrom('contact_message')
    .select('id')
    .where('state', '=', 'waiting')
    .where('last_error', 'like', 'setup %')
    .limit(1)
    .executeTakeFirst();
  // The outbox pauses then for up to half an hour, whatever is put back.
  if (refused)
    return 'once the mail server accepts our login: check SMTP_URL and MAIL_FROM, and start it again';
  return engine === 'sqlite' ? 'at once' : 'within a minute';
}

/**
 * As after the insert. Due since it came: whatever the clock of this machine says, that is over for the
 * server's as well.
 */
export function queued<Time>(receivedAt: Time) {
  return {
    state: 'waiting',
    next_attempt_at: receivedAt,
    failures: 0,
    first_failure_at: null,
    last_error: null,
  } as const;
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
      let query = database.db
        .updateTable('contact_message')
        .set(({ ref }) => ({ ...queued(ref('received_at')), sent_at: null }))
        // A mail on its way is not sent a second time.
        .where(({ eb, or }) =>
          or([
            eb('state', '!=', 'waiting'),
            eb('attempts', '=', 0),
            eb('last_error', 'is not', null),
            eb('next_attempt_at', '<=', now),
            eb('next_attempt_at', '>', now + LONGEST_WAIT_MS),
          ]),
        );
      if (id === undefined) query = query.where('state', 'in', ['set_aside', 'waiting']);
      else {
        const row = await findMessage(database, id);
        const who = oneLine(row.name);
        if (row.state === 'spam') {
          throw new Failed(
            `The message of ${who} is marked as spam: \`npm run desk not-spam ${id}\` delivers it.`,
          );
        }
        if (row.state === 'sent' && !again) {
          const at = localTime(row.sent_at ?? row.received_at, desk.settings().timeZone);
          throw new Failed(`The message of ${who} was delivered on ${at}. --again sends it once more.`);
        }
        if (isBeingMailed(row, now)) throw new Failed(`The message of ${who} is on its way just now.`);
        query = query.where('id', '=', row.id);
      }
      const when = await whenMailed(database);
      const { changes: requeued } = await database.write(query);
      if (asJson) return write(json({ requeued }));
      if (requeued === 0) return write('Nothing was set aside, and nothing waits.\n');
      const them = requeued === 1 ? 'it' : 'them';
      write(`${count(requeued, 'message')} queued. A running server mails ${them} ${when}.\n`);
    });
}
