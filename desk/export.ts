import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { stringify } from 'csv-stringify';
import type { Desk } from './desk.ts';
import { WrongUsage } from './failures.ts';
import { eachMessage, type Filter, jsonArray, normalEmail, type Row } from './messages.ts';
import { writeNewFile } from './output-file.ts';
import { stateName } from './states.ts';
import { count, note, printable } from './terminal.ts';
import { type Since, sheetTime, since } from './time.ts';

type Options = { csv?: true; json?: true; email?: string; since?: Since; output?: string };

export function addExport(program: Command, desk: Desk): void {
  program
    .command('export')
    .description('write messages as a spreadsheet’s CSV or as JSON, oldest first')
    .option('--csv', 'for a spreadsheet; times in your zone')
    .option('--json', 'for scripts')
    .option('--email <address>', 'only those of this address', normalEmail)
    .option('--since <time>', 'received since 7d, 12h or 2026-11-21', since)
    .option('--output <file>', 'a new file that only you may read, instead of the standard output')
    .action(async (options: Options) => {
      if (options.csv === options.json) throw new WrongUsage('Say either --csv or --json.');
      const { timeZone } = desk.settings();
      const filter: Filter = { email: options.email, since: options.since?.(desk.now(), timeZone) };
      const rows = counted(eachMessage(await desk.database(), filter, 'oldest first'));
      // Excel takes a file for another encoding without its mark; programs in a pipe stumble over one.
      const toFile = options.output !== undefined;
      const content = options.csv ? csv(rows, timeZone, { bom: toFile }) : Readable.from(jsonArray(rows));
      if (options.output !== undefined) {
        await writeNewFile(resolve(options.output), content);
        note(`${count(rows.passed, 'message')} written to ${options.output}. It holds personal data.\n`);
      } else {
        await pipeline(process.stdout.isTTY ? visible(content) : content, process.stdout, { end: false });
      }
    });
}

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function csv(rows: AsyncIterable<Row>, timeZone: string, { bom }: { bom: boolean }): Readable {
  const time = (at: number | null) => (at === null ? '' : sheetTime(at, timeZone));
  const sheet = stringify({
    bom,
    header: true,
    columns: ['Received', 'State', 'Name', 'Email', 'Message', 'Delivered', 'ID'],
    record_delimiter: 'windows',
    // By itself it quotes whole line ends only, and readers take either half for one.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });
  const records = async function* () {
    for await (const row of rows) {
      yield [
        time(row.received_at),
        stateName(row.state),
        row.name,
        row.email,
        row.message,
        time(row.sent_at),
        row.id,
      ];
    }
  };
  return Readable.from(records()).compose(sheet);
}

/** On a terminal what was exported is looked at, and must not play with it. */
async function* visible(content: Readable): AsyncGenerator<string> {
  for await (const chunk of content.setEncoding('utf8'))
    yield printable(String(chunk).replaceAll('\r\n', '\n'));
}

type Counted<T> = AsyncIterable<T> & { passed: number };

function counted<T>(items: AsyncIterable<T>): Counted<T> {
  const result: Counted<T> = {
    passed: 0,
    async *[Symbol.asyncIterator]() {
      for await (const item of items) {
        result.passed += 1;
        yield item;
      }
    },
  };
  return result;
}
