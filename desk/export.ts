import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { stringify } from 'csv-stringify';
import { FIELD_NAMES } from '../contract/contact.ts';
import { labelOf } from '../messages/fields.ts';
import type { Message } from '../messages/message.ts';
import { eachMessage, type Filter } from '../messages/queries.ts';
import type { Desk } from './desk.ts';
import { WrongUsage } from './failures.ts';
import { jsonArray, normalEmail } from './messages.ts';
import { writeNewFile } from './output-file.ts';
import { count, note, printable } from './terminal.ts';
import { type Since, sheetTime, since } from './time.ts';

type Options = { csv?: true; json?: true; email?: string; since?: Since; output?: string };

export function addExport(program: Command, desk: Desk): void {
  program
    .command('export [file]')
    .description('write messages to a new .csv file, for a spreadsheet, or .json, oldest first')
    .option('--csv', 'CSV, also to the standard output; times in your zone')
    .option('--json', 'JSON, also to the standard output')
    .option('--email <address>', 'only those of this address', normalEmail)
    .option('--since <time>', 'received since 7d, 12h or 2026-11-21', since)
    .addOption(new Option('--output <file>', 'the same as naming it').hideHelp())
    .action(async (name: string | undefined, options: Options) => {
      if (name !== undefined && options.output !== undefined) throw new WrongUsage('Name one file.');
      const file = name ?? options.output;
      const format = formatOf(file, options);
      const { timeZone } = desk.settings();
      const filter: Filter = { email: options.email, since: options.since?.(desk.now(), timeZone) };
      const rows = counted(eachMessage(await desk.database(), filter, 'oldest first'));
      // Excel takes a file for another encoding without its mark; programs in a pipe stumble over one.
      const toFile = file !== undefined;
      const content =
        format === 'csv' ? csv(rows, timeZone, { bom: toFile }) : Readable.from(jsonArray(rows));
      if (toFile) {
        await writeNewFile(resolve(file), content);
        note(`${count(rows.passed, 'message')} written to ${file}. It holds personal data.\n`);
      } else {
        await pipeline(process.stdout.isTTY ? visible(content) : content, process.stdout, { end: false });
      }
    });
}

function formatOf(file: string | undefined, options: Options): 'csv' | 'json' {
  if (options.csv && options.json) throw new WrongUsage('Say either --csv or --json.');
  if (options.csv) return 'csv';
  if (options.json) return 'json';
  const [, ending] = /\.(csv|json)$/i.exec(file ?? '') ?? [];
  if (!ending)
    throw new WrongUsage('Name a new file that ends in .csv or .json: npm run desk export messages.csv');
  return ending.toLowerCase() === 'csv' ? 'csv' : 'json';
}

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function csv(rows: AsyncIterable<Message>, timeZone: string, { bom }: { bom: boolean }): Readable {
  const time = (at: number | null) => (at === null ? '' : sheetTime(at, timeZone));
  const sheet = stringify({
    bom,
    header: true,
    columns: ['Received', 'State', ...FIELD_NAMES.map(labelOf), 'Delivered', 'ID'],
    record_delimiter: 'windows',
    // By itself it quotes whole line ends only, and readers take either half for one.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });
  const records = async function* () {
    for await (const row of rows) {
      yield [
        time(row.receivedAt),
        row.state,
        ...FIELD_NAMES.map((field) => row[field] ?? ''),
        time(row.deliveredAt),
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
