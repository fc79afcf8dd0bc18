import { type Command, Option } from 'commander';
import type { Message } from '../messages/message.ts';
import { eachMessage } from '../messages/queries.ts';
import { shortId } from '../messages/short-id.ts';
import type { Erasable } from '../messages/states.ts';
import type { Desk } from './desk.ts';
import { eraseFor } from './erasing.ts';
import { WrongUsage } from './failures.ts';
import { findMessage, normalEmail } from './messages.ts';
import { count, note, oneLine } from './terminal.ts';
import { localTime } from './time.ts';

type Options = { email?: string; yes?: true; json?: true };

/** So many are named before the question; of more, their number says enough. */
const NAMED = 10;

export function addErase(program: Command, desk: Desk): void {
  program
    .command('erase [who]')
    .description('erase a message by its id, or all of an e-mail address, for good')
    .addOption(
      new Option('--email <address>', 'all messages of this address').argParser(normalEmail).hideHelp(),
    )
    .option('--yes', 'do not ask')
    .option('--json', 'for scripts')
    .action(async (who: string | undefined, { email: option, yes, json }: Options) => {
      if ((who === undefined) === (option === undefined))
        throw new WrongUsage('Name one message by its id, or all of somebody by their e-mail address.');
      const email = who?.includes('@') ? normalEmail(who) : option;
      const id = email === undefined ? who : undefined;
      const database = await desk.database();
      const { timeZone } = desk.settings();
      const rows: Message[] = [];
      if (id !== undefined) rows.push(await findMessage(database, id, desk.now()));
      else for await (const row of eachMessage(database, { email }, 'newest first')) rows.push(row);
      if (!yes && rows.length > 0) {
        for (const row of rows.slice(0, NAMED)) {
          note(
            `${shortId(row.id)}  ${oneLine(row.name)} <${oneLine(row.email)}>, ${localTime(row.receivedAt, timeZone)}\n`,
          );
        }
        if (rows.length > NAMED) note(`… and ${rows.length - NAMED} more\n`);
      }
      const question = rows.length > 0 ? `Erase ${count(rows.length, 'message')} for good?` : undefined;
      const which: Erasable = rows[0] && id !== undefined ? { id: rows[0].id } : { email: email ?? '' };
      await eraseFor(desk, which, question, { yes, json });
    });
}
