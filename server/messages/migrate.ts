import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, StoreError } from './store-error.ts';

/** The first file makes the whole schema. Each has a twin of the same name for SQLite. */
const FOLDER = join(import.meta.dirname, '../../supabase/migrations');

/** Marks a database as version 0.4. */
const LAST_OF_0_4 = '20261123020000_perhaps_answered';

/** What the schema's file can't do by itself on SQLite. */
const SQLITE_FROM_0_4 = join(FOLDER, 'sqlite/from-0.4.sql');

type Engine = 'sqlite' | 'postgres';

const OURS = "name in ('contact_message', 'contact_migration', 'compatible_migration')";
const ASK_TABLES = {
  sqlite: `select name from sqlite_schema where type = 'table' and ${OURS}`,
  postgres: `select name from (select relname as name from pg_class where pg_table_is_visible(oid)) as visible where ${OURS}`,
};

/** In the order they run. */
export function migrations(engine: Engine): { name: string; file: string }[] {
  const folder = engine === 'sqlite' ? join(FOLDER, 'sqlite') : FOLDER;
  const files = readdirSync(folder).filter((file) => /^\d.*\.sql$/.test(file));
  return files.toSorted().map((file) => ({ name: file.slice(0, -'.sql'.length), file: join(folder, file) }));
}

/** `location` is how errors name the database. */
type Target = { engine: Engine; location: string; ask: (query: string) => Names | Promise<Names> };
type Names = { name: string }[];

/** In the order they run. @throws {StoreError} if the database is from a newer version, or older than 0.4 */
export async function missingSteps({ engine, location, ask }: Target) {
  const namesBy = async (query: string) => (await ask(query)).map(({ name }) => name);
  const tables = await namesBy(ASK_TABLES[engine]);
  const namesIn = async (table: string) =>
    tables.includes(table) ? namesBy(`select name from ${table}`) : [];
  const required = await namesIn('contact_migration').catch((error: unknown) => {
    if (codeOf(error) !== '42501') throw error;
    return [];
  });
  // Postgres refuses these to other users, or row-level security hides the rows.
  if (engine === 'postgres' && tables.includes('contact_migration') && required.length === 0)
    throw new StoreError(
      `The tables of the database ${location} belong to another user, who alone can read them. Name that user in DATABASE_URL.`,
    );
  // An older version needn't know a compatible step.
  const applied = [...required, ...(await namesIn('compatible_migration'))];
  const steps = migrations(engine);
  const [schema = ''] = steps.map(({ name }) => name);
  // Names begin with the time, so those before the schema are from 0.4 or older.
  const unknown = required.filter((name) => name > schema && !steps.some((step) => step.name === name));
  if (unknown.length > 0)
    throw new StoreError(
      `The database ${location} was changed by a newer version of this program in a way that this one can't work with ` +
        `(${unknown.toSorted().join(', ')}). Start the newer version, or point DATABASE_URL at another database.`,
    );
  const isOlder = tables.includes('contact_message') && !applied.includes(schema);
  if (isOlder && !applied.includes(LAST_OF_0_4))
    throw new StoreError(
      `The database ${location} is from a version before 0.4, which this one can't read. ` +
        'Start version 0.4 with it once, then this one, or point DATABASE_URL at another database.',
    );
  return { missing: steps.filter(({ name }) => !applied.includes(name)), isOf04: isOlder };
}

/** Brings the tables up to date. The caller begins and commits a transaction that nobody else can be in. */
export async function migrate(target: Target, run: (text: string) => unknown): Promise<void> {
  const { missing, isOf04 } = await missingSteps(target);
  if (target.engine === 'sqlite' && isOf04) await run(readFileSync(SQLITE_FROM_0_4, 'utf8'));
  for (const { file } of missing) await run(readFileSync(file, 'utf8'));
}
