import Sqlite from 'better-sqlite3';
import { FIELD_NAMES, type Field } from '../../contract/contact-message.ts';
import { couldBeStored } from './fields.ts';
import { codeOf, StoreError } from './store-error.ts';
import { COLUMN_TYPES } from './table.ts';

// A backup may be another's, made to do harm.

/** No visitor could have sent a longer text, and no version of this program wrote one. */
const LONGEST_BYTES = 100_000;
/** The last time that JavaScript knows. */
const LAST_TIME = 8.64e15;

/** What an id may be: it gets into file names and mails' headers. */
const PATTERNS: Partial<Record<string, RegExp>> = {
  id: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  message_id: /^<[!-;=?-~]{3,900}>$/,
  state: /^(?:waiting|sent|set_aside|spam)$/,
};
const LINE = /^\P{Cc}{0,1000}$/u;

/** @throws {StoreError} unless everything in the rows of a table is what this program could have written */
export function checkRows(table: string, rows: readonly object[]): void {
  for (const row of rows) {
    const strange = Object.entries(row).find(([column, value]) => !isOurs(column, value));
    if (strange) throw new StoreError(`A row of ${table} has a ${strange[0]} that it can’t have.`);
  }
}

function isOurs(column: string, value: unknown): boolean {
  // One that's required now may not have been asked for when the message came.
  if (FIELD_NAMES.includes(column as Field)) return value === '' || couldBeStored(column as Field, value);
  if (value === null) return true;
  const type = COLUMN_TYPES[column as keyof typeof COLUMN_TYPES];
  if (type === 'text' || (!type && column !== 'at'))
    return typeof value === 'string' && (PATTERNS[column] ?? LINE).test(value);
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LAST_TIME;
}

/**
 * Looks at a SQLite file before its rows are read or changed: nothing in it may run, or fill the memory.
 *
 * @throws {StoreError}
 */
export function checkTables(file: string): void {
  const sqlite = new Sqlite(file);
  try {
    const ask = (sql: string) => sqlite.prepare(sql).pluck().all();
    const texts = ask("select name from pragma_table_info('contact_message')").filter(
      (column) => COLUMN_TYPES[column as keyof typeof COLUMN_TYPES] === 'text',
    );
    if (texts.length === 0) throw new StoreError('It has no messages in it.');
    // Only a table or an index has a page.
    const [running] = ask(
      `select schema.name from sqlite_schema as schema left join pragma_table_xinfo(schema.name) as part
        where schema.rootpage = 0 or part.hidden <> 0`,
    );
    if (running !== undefined) throw new StoreError('It has a view, trigger or computed column.');
    const tooLong = texts.map((column) => `octet_length(${column}) > ${LONGEST_BYTES}`).join(' or ');
    if (ask(`select 1 from contact_message where ${tooLong} limit 1`).length > 0)
      throw new StoreError('A message in it is longer than any can be.');
  } catch (error) {
    // Whoever opens it says so.
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error))) throw error;
  } finally {
    sqlite.close();
  }
}
