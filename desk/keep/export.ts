import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import { eachField, FIELD_NAMES } from '../../contract/contact-message.ts';
import { ENGLISH } from '../../server/http/answers.ts';
import { eachMessage } from '../../server/messages/queries.ts';
import { answerDueAt, isAny, type Message } from '../../server/messages/table.ts';
import { readSettings } from '../../settings/settings.ts';
import { note, openExisting, readArgs, UNPRINTABLE, WrongUsage } from '../command/command.ts';
import { makeNewFile } from './output-file.ts';

const FORMATS = ['csv', 'json'] as const;

export async function list(args: string[]): Promise<void> {
  readArgs(args, ['json']);
  await using database = await openExisting(readSettings());
  const lines = jsonArray(eachMessage(database, isAny, 'newest first'));
  await pipeline(lines, process.stdout, { end: false });
}

/** To a file, or in the given format to standard output, from which the desk passes it on. */
export async function exportMessages(args: string[]): Promise<void> {
  const { given, file } = readArgs(args, ['csv', 'json'], true);
  const format = FORMATS.find((one) => (file ? file.toLowerCase().endsWith(`.${one}`) : given.has(one)));
  if (!format)
    throw new WrongUsage('Name a new file that ends in .csv or .json: npm run desk export messages.csv');
  const settings = readSettings();
  await using database = await openExisting(settings);
  const all = eachMessage(database, isAny, 'oldest first');
  const content = format === 'csv' ? csv(all, settings.timeZone) : jsonArray(all);
  if (!file) return await pipeline(content, process.stdout, { end: false });
  await makeNewFile(resolve(file), (unfinished) =>
    pipeline(content, createWriteStream(unfinished, { mode: 0o600 })),
  );
  note(`All messages are in ${file}. Keep it where only you can read it.\n`);
}

/** Where a cell may begin with a formula's sign: anywhere, if a spreadsheet goes by `;`, tabs or lines, not our quotes. */
const FORMULA = /(?<=^|[,;\t\r\n])(?=["\s]*[=+\-@＝＋－＠])/gu;

/** RFC 4180. What a spreadsheet could take for a formula gets an apostrophe in front. */
async function* csv(rows: AsyncIterable<Message>, timeZone: string): AsyncGenerator<string> {
  // `2026-11-21 14:05:09`, as in Sweden: spreadsheets in every language can read it.
  const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  const time = (at: number | null) => (at === null ? '' : clock.format(at));
  // The library only quotes CRLF, but readers also treat a lone CR or LF as a line end.
  const options = { record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const;
  const labels = FIELD_NAMES.map((field) => ENGLISH.labels[field]);
  const columns = ['Received', 'State', ...labels, 'Delivered', 'Answered', 'ID'];
  // Excel needs the mark to read UTF-8.
  yield `\uFEFF${stringify([columns], options)}`;
  for await (const row of rows) {
    const fields = FIELD_NAMES.map((field) => (row[field] ?? '').replace(FORMULA, "'"));
    const times = [row.sent_at, row.answered_at].map(time);
    yield stringify([[time(row.received_at), row.state, ...fields, ...times, row.id]], options);
  }
}

/** The same once read as JSON, and on a terminal nothing reverses the text. */
const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

async function* jsonArray(messages: AsyncIterable<Message>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const message of messages) {
    yield before + JSON.stringify(messageJson(message)).replace(UNPRINTABLE, escaped);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

function messageJson(message: Message) {
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id: message.id,
    receivedAt: iso(message.received_at),
    state: message.state,
    ...eachField((field) => message[field] ?? ''),
    attempts: message.attempts,
    lastError: message.last_error,
    nextAttemptAt: message.state === 'waiting' && message.last_error ? iso(message.next_attempt_at) : null,
    deliveredAt: iso(message.sent_at),
    answeredAt: iso(message.answered_at),
    answerDueAt: iso(answerDueAt(message)),
    heldFor: message.held_for?.split(' ') ?? [],
  };
}
