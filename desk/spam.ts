import type { Command } from 'commander';
import { markSpam, notSpam } from '../messages/states.ts';
import type { Desk } from './desk.ts';
import { Failed } from './failures.ts';
import { findMessage } from './messages.ts';
import { whenMailed } from './requeue.ts';
import { json, oneLine, write } from './terminal.ts';

export function addSpam(program: Command, desk: Desk): void {
  program
    .command('spam <id>')
    .description('mark a message as spam: it is kept, and not mailed')
    .option('--json', 'for scripts')
    .action(async (idPart: string, options: { json?: true }) => {
      const database = await desk.database();
      const { id, name } = await findMessage(database, idPart, desk.now());
      const marked = await markSpam(database, id, desk.now());
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
    .option('--json', 'for scripts')
    .action(async (idPart: string, options: { json?: true }) => {
      const database = await desk.database();
      const { id, name, state } = await findMessage(database, idPart, desk.now());
      const who = oneLine(name);
      if (state !== 'spam') throw new Failed(`The message of ${who} is not marked as spam.`);
      const when = await whenMailed(database);
      const becomes = await notSpam(database, id, desk.now());
      if (!becomes) throw new Failed(`The message of ${who} changed at this very moment. Say it once more.`);
      if (options.json) return write(json({ id, state: becomes }));
      write(
        becomes === 'delivered'
          ? `The message of ${who} is no spam any more. It had been delivered before.\n`
          : `The message of ${who} is queued. A running server mails it ${when}.\n`,
      );
    });
}
