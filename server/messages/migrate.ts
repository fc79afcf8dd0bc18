import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from './store-error.ts';

/** The first file makes the whole schema. Each has one of the same name for SQLite. */
const FOLDER = join(import.meta.dirname, '../../supabase/migrations');

/** By it, a database of version 0.4 is recognized. */
const LAST_OF_0_4 = '20261123020000_perhaps_answered';

/** What the schema's file can't do by itself on SQLite, which has no `add column if not exists`. As on Postgres. */
const SQLITE_FROM_0_4 = `
  drop index if exists contact_message_astray;
  drop index if exists contact_message_due;
  drop index if exists contact_message_judged;
  drop index if exists contact_message_answered;
  drop index if exists contact_message_unlisted;
  alter table contact_message add column opened_at integer;
  alter table contact_message drop column mail_place;
  alter table contact_message drop column perhaps_answered_at;
  update contact_message set opened_at = coalesce(sent_at, listed_at, judged_at)
    where coalesce(sent_at, listed_at, judged_at) is not null;
  drop table if exists contact_notice;
  drop table if exists daily_count;
  drop table if exists mail_folder;
  drop table if exists kysely_migration;`;

type Engine = 'sqlite' | 'postgres';
type Ask = (query: string) => { name: string }[] | Promise<{ name: string }[]>;

const OURS = "name in ('contact_message', 'contact_migration', 'compatible_migration')";
const ASK_TABLES = {
  sqlite: `select name from sqlite_schema where type = 'table' and ${OURS}`,
  postgres: `select name from (select relname as name from pg_class where pg_table_is_visible(oid)) as visible where ${OURS}`,
};

/** In the order they run. */
export function migrations(engine: Engine): { name: string; file: string }[] {
  const folder = engine === 'sqlite' ? join(FOLDER, 'sqlite') : FOLDER;
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file) => ({ name: file.slice(0, -'.sql'.length), file: join(folder, file) }));
}

type History = {
  /** The steps it lacks, in order. */
  missing: string[];
  /** Those it has that this program would need to know but doesn't. A compatible step needn't be known. */
  unknown: string[];
  /** Undefined if it's of this version, newer, or empty. */
  from: '0.4' | 'before 0.4' | undefined;
};

export async function readHistory(engine: Engine, ask: Ask): Promise<History> {
  const tables = (await ask(ASK_TABLES[engine])).map(({ name }) => name);
  const namesIn = async (table: string) =>
    tables.includes(table) ? (await ask(`select name from ${table}`)).map(({ name }) => name) : [];
  const required = await namesIn('contact_migration');
  const applied = [...required, ...(await namesIn('compatible_migration'))];
  const known = migrations(engine).map(({ name }) => name);
  const [schema = ''] = known;
  // Names begin with the time, so those before the schema are of 0.4 or older.
  const unknown = required.filter((name) => name > schema && !known.includes(name)).toSorted();
  const isOlder = tables.includes('contact_message') && unknown.length === 0 && !applied.includes(schema);
  const from = applied.includes(LAST_OF_0_4) ? '0.4' : 'before 0.4';
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown,
    from: isOlder ? from : undefined,
  };
}

type Target = { engine: Engine; location: string; ask: Ask; run: (text: string) => unknown };

/**
 * Brings the tables up to date. The caller begins and commits a transaction that nobody else can be in.
 *
 * @throws {StoreError} if the database is of a newer version, or older than 0.4
 */
export async function migrate({ engine, location, ask, run }: Target): Promise<void> {
  const { missing, unknown, from } = await readHistory(engine, ask);
  if (unknown.length > 0) {
    throw new StoreError(
      `The database ${location} was changed by a newer version of this program in a way that this one can't work with ` +
        `(${unknown.join(', ')}). Start the newer version, or point DATABASE_URL at another database.`,
    );
  }
  if (from === 'before 0.4') {
    throw new StoreError(
      `The database ${location} is from a version before 0.4, which this one can't read. ` +
        'Start version 0.4 with it once, then this one, or point DATABASE_URL at another database.',
    );
  }
  const files = migrations(engine).filter(({ name }) => missing.includes(name));
  if (engine === 'sqlite' && from === '0.4')
    await run(`${SQLITE_FROM_0_4} insert into compatible_migration (name) values ('${files[0]?.name}');`);
  for (const { file } of files) await run(readFileSync(file, 'utf8'));
  const [forgotten] = (await readHistory(engine, ask)).missing;
  if (forgotten) throw new Error(`The migration ${forgotten} does not record itself`);
}
