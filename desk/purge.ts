import type { Command } from 'commander';
import { eraseMessages, selectErasable } from '../server/erase.ts';
import { confirm } from './ask.ts';
import { describeErased } from './describe-erased.ts';
import type { Desk } from './desk.ts';
import { count, json, note, write } from './terminal.ts';
import { duration, localTime } from './time.ts';

type Options = { olderThan: number; yes?: true; json?: true };

export function addPurge(program: Command, desk: Desk): void {
  program
    .command('purge')
    .description('erase what is older than you want to keep')
    .requiredOption('--older-than <time>', 'received longer ago than, for instance, 365d', duration)
    .option('--yes', 'do not ask')
    .option('--json', 'for scripts')
    .addHelpText('after', '\nMessages that wait to be mailed are kept, however old they are.')
    .action(async ({ olderThan, yes, json: asJson }: Options) => {
      const database = await desk.database();
      const { mailDir, timeZone } = desk.settings();
      const now = desk.now();
      const which = { receivedBefore: now - olderThan };
      const { old } = await selectErasable(database, which)
        .select(({ fn }) => fn.countAll<number>().as('old'))
        .executeTakeFirstOrThrow();
      if (old > 0 && !yes) {
        note(`${count(old, 'message')} came before ${localTime(which.receivedBefore, timeZone)}.\n`);
        await confirm(`Erase ${old === 1 ? 'it' : 'them'} for good?`, { yes });
      }
      const erased = await eraseMessages(database, which, { mailDir, now });
      write(asJson ? json(erased) : describeErased(erased, desk.settings()));
    });
}
