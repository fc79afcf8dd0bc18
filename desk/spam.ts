import type { Command } from 'commander';
import type { Desk } from './desk.ts';
import { Failed } from './failures.ts';
import { findMessage } from './messages.ts';
import { queued, whenMailed } from './requeue.ts';
import { json, oneLine, write } from './terminal.ts';

export function addSpam(program: Command, desk: Desk): void {
  program
    .command('spam <id>')
    .description('mark a message as spam: it is kept, and not mailed')
    .option('--json', 'for scripts')
    .action(async (id: string, options: { json?: true }) => {
      const database = await desk.database();
      const row = await findMessage(database, id);
      const who = oneLine(row.name);
      if (row.state === 'spam') throw new Failed(`The message of ${who} is marked as spam already.`);
      await database.write(
        database.db.updateTable('contact_message').set({ state: 'spam' }).where('id', '=', row.id),
      );
      if (options.json) return write(json({ id: row.id, state: 'spam' }));
      write(`The message of ${who} is marked as spam.\n`);
    });
}

export function addNotSpam(program: Command, desk: Desk): void {
  program
    .command('not-spam <id>')
    .description('deliver a message that was taken for spam')
    .option('--json', 'for scripts')
    .action(async (id: string, options: { json?: true }) => {
      const database = await desk.database();
      const row = await findMessage(database, id);
      const who = oneLine(row.name);
      if (row.state !== 'spam') throw new Failed(`The message of ${who} is not marked as spam.`);
      // It was mailed before it was marked; once is enough.
      const delivered = row.sent_at !== null;
      const when = await whenMailed(database);
      await database.write(
        database.db
          .updateTable('contact_message')
          .set(delivered ? { state: 'sent' } : queued(row.received_at))
          .where('id', '=', row.id)
          .where('state', '=', 'spam'),
      );
      if (options.json) return write(json({ id: row.id, state: delivered ? 'delivered' : 'waiting' }));
      write(
        delivered
          ? `The message of ${who} is no spam any more. It had been delivered before.\n`
          : `The message of ${who} is queued. A running server mails it ${when}.\n`,
      );
    });
}
