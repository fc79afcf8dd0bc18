import type { Command } from 'commander';
import type { Desk } from './desk.ts';
import { findMessage, messageJson } from './messages.ts';
import { MEANINGS, stateName } from './states.ts';
import { bold, json, lineWidth, oneLine, printable, wrap, write } from './terminal.ts';
import { localTime } from './time.ts';

export function addShow(program: Command, desk: Desk): void {
  program
    .command('show <id>')
    .description('show one message')
    .option('--json', 'for scripts')
    .action(async (id: string, options: { json?: true }) => {
      const row = await findMessage(await desk.database(), id);
      if (options.json) return write(json(messageJson(row)));
      const words = wrap(printable(row.message), lineWidth() - 2).replace(/^(?=.)/gm, '  ');
      const state = stateName(row.state);
      write(
        `${bold(oneLine(row.name))} <${oneLine(row.email)}>\n${localTime(row.received_at, desk.settings().timeZone)}\n${state}: ${MEANINGS[state]}\n\n${words}\n\n${row.id}\n`,
      );
    });
}
