import { type Command, Option } from 'commander';
import { countMessages } from '../messages/queries.ts';
import { countErasable } from '../messages/states.ts';
import type { Desk } from './desk.ts';
import { eraseFor } from './erasing.ts';
import { WrongUsage } from './failures.ts';
import { count, note } from './terminal.ts';
import { localTime, olderThan, type Since } from './time.ts';

type Options = { olderThan?: Since; yes?: true; json?: true };

export function addPurge(program: Command, desk: Desk): void {
  program
    .command('purge [age...]')
    .description('erase what is older than, for instance, 12 months')
    .addOption(new Option('--older-than <age>', 'the same').argParser(olderThan).hideHelp())
    .option('--yes', 'do not ask')
    .option('--json', 'for scripts')
    .addHelpText(
      'after',
      '\nAn age is in days, weeks, months or years: 365d, 12 months. Messages that wait to be mailed are kept, however old they are.',
    )
    .action(async (words: string[], { olderThan: option, yes, json }: Options) => {
      if (words.length > 0 === (option !== undefined))
        throw new WrongUsage('Say how old, once: npm run desk purge 12 months');
      const receivedBefore = option ?? olderThan(words.join(' '));
      const database = await desk.database();
      const { timeZone } = desk.settings();
      const which = { receivedBefore: receivedBefore(desk.now(), timeZone) };
      const all = await countMessages(database);
      const old = await countErasable(database, which);
      if (old > 0) {
        const before = localTime(which.receivedBefore, timeZone);
        note(`${count(old, 'message')} of ${all.toLocaleString('en')} came before ${before}.\n`);
      }
      const question = old > 0 ? `Erase ${old === 1 ? 'it' : 'them'} for good?` : undefined;
      await eraseFor(desk, which, question, { yes, json });
    });
}
