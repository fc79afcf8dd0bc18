import { createWriteStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { stringify } from 'csv-stringify';
import { FIELD_NAMES } from '../../contract/contact-message.ts';
import type { Promised } from '../../contract/promise.ts';
import { withProgress } from '../../publish/progress.mjs';
import { labelOf } from '../../server/messages/fields.ts';
import { eachMessage } from '../../server/messages/queries.ts';
import { isAny, type Message } from '../../server/messages/table.ts';
import type { Desk } from '../command/desk.ts';
import { onlyFile, WrongUsage } from '../command/failures.ts';
import { count, note, printable } from '../command/terminal.ts';
import { jsonArray } from '../messages/find-message.ts';
import { sheetTime } from '../sheet/time.ts';
import { discardLeftovers, makeNewFile, UNFINISHED } from './output-file.ts';

const FORMATS = ['csv', 'json'] as const;
export type Format = (typeof FORMATS)[number];

type Options = { csv?: boolean; json?: boolean };

export async function exportMessages(desk: Desk, args: string[]): Promise<void> {
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { csv: flag, json: flag },
  });
  const file = onlyFile(positionals);
  const format = formatOf(file, values);
  const { timeZone } = desk.settings();
  const database = await desk.database();
  const messages = eachMessage(database, isAny, 'oldest first');
  let written = 0;
  const rows = async function* (show: (written: number) => void = () => {}) {
    for await (const message of messages) {
      written += 1;
      show(written);
      yield message;
    }
  };
  // Excel needs a byte order mark to read UTF-8; programs in a pipe choke on one.
  const options = { timeZone, replyHours: database.replyHours(), bom: file !== undefined };
  if (file === undefined) {
    const content = inFormat(format, rows(), options);
    return pipeline(process.stdout.isTTY ? visible(content) : content, process.stdout, { end: false });
  }
  const path = resolve(file);
  await discardLeftovers(dirname(path), UNFINISHED);
  await withProgress('Exporting', 'messages', (show) =>
    makeNewFile(path, (unfinished) =>
      pipeline(inFormat(format, rows(show), options), createWriteStream(unfinished)),
    ),
  );
  note(`${count(written, 'message')} written to ${file}. It holds personal data.\n`);
}

function formatOf(file: string | undefined, options: Options): Format {
  const said = FORMATS.filter((format) => options[format]);
  const format = said[0] ?? FORMATS.find((ending) => file?.toLowerCase().endsWith(`.${ending}`));
  if (!format || said.length > 1) {
    throw new WrongUsage(
      'Name a new file that ends in .csv or .json, or say either --csv or --json: npm run desk export messages.csv',
    );
  }
  return format;
}

/** Text, to be encoded as UTF-8. */
export function inFormat(
  format: Format,
  rows: AsyncIterable<Message>,
  { timeZone, replyHours, bom }: Promised & { timeZone: string; bom: boolean },
): Readable {
  return format === 'csv' ? csv(rows, timeZone, bom) : Readable.from(jsonArray(rows, replyHours));
}

/**
 * Where a cell may begin with a formula's sign. A spreadsheet that separates by `;` or tabs sees none of our quotes, so
 * cells may begin within a text as well, and at each of its line ends.
 */
const FORMULA = /(?<=^|[,;\t\r\n])(?=["\s]*[=+\-@＝＋－＠])/gu;

/** RFC 4180. What a spreadsheet could take for a formula gets an apostrophe in front. */
function csv(rows: AsyncIterable<Message>, timeZone: string, bom: boolean): Readable {
  const time = (at: number | null) => (at === null ? '' : sheetTime(at, timeZone));
  const sheet = stringify({
    bom,
    header: true,
    columns: ['Received', 'State', ...FIELD_NAMES.map(labelOf), 'Delivered', 'Answered', 'ID'],
    record_delimiter: 'windows',
    // The library only quotes CRLF, but readers also treat a lone CR or LF as a line end.
    quoted_match: /[\r\n]/,
  });
  const records = async function* () {
    for await (const row of rows) {
      const fields = FIELD_NAMES.map((field) => (row[field] ?? '').replace(FORMULA, "'"));
      yield [time(row.received_at), row.state, ...fields, time(row.sent_at), time(row.answered_at), row.id];
    }
  };
  return Readable.from(records()).compose(sheet);
}

/** For a terminal: no control characters. */
async function* visible(content: Readable): AsyncGenerator<string> {
  for await (const chunk of content.setEncoding('utf8'))
    yield printable(String(chunk).replaceAll('\r\n', '\n'));
}
