import type { Command } from 'commander';
import { isBeingMailed } from '../messages/erase.ts';
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
      const onItsWay = isBeingMailed(row, desk.now()) ? ' Its mail was on its way at that moment.' : '';
      write(`The message of ${who} is marked as spam.${onItsWay}\n`);
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
      // It was marked while its mail was on the way, and still belongs to whoever sends it.
      const onItsWay = isBeingMailed({ ...row, state: 'waiting' }, desk.now());
      const when = await whenMailed(database);
      const { changes } = await database.write(
        database.db
          .updateTable('contact_message')
          .set(delivered ? { state: 'sent' } : onItsWay ? { state: 'waiting' } : queued(row.received_at))
          .where('id', '=', row.id)
          .where('state', '=', 'spam')
          .where('sent_at', delivered ? 'is not' : 'is', null),
      );
      if (changes === 0)
        throw new Failed(`The message of ${who} changed at this very moment. Say it once more.`);
      if (options.json) return write(json({ id: row.id, state: delivered ? 'delivered' : 'waiting' }));
      write(
        delivered
          ? `The message of ${who} is no spam any more. It had been delivered before.\n`
          : `The message of ${who} is queued. A running server mails it ${when}.\n`,
      );
    });
}
