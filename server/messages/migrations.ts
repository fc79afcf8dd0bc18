import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from './store-error.ts';

/** Each file is one step for both engines, unless SQLite has its own file of the same name. */
const FOLDER = join(import.meta.dirname, '../../supabase/migrations');
const SQLITE_FOLDER = join(FOLDER, 'sqlite');

type Engine = 'sqlite' | 'postgres';
type Named = { name: string };
type Ask = (query: string) => Named[] | Promise<Named[]>;

const TABLES = {
  sqlite:
    "select name from sqlite_schema where name in ('contact_migration', 'compatible_migration') and type = 'table'",
  postgres: `select relname as name from pg_class
    where oid in (to_regclass('contact_migration'), to_regclass('compatible_migration'))`,
};

/** In the order they run. */
export function migrations(engine: Engine): { name: string; file: string }[] {
  const shared = sqlFiles(FOLDER).map((name) => ({ name, file: join(FOLDER, `${name}.sql`) }));
  if (engine === 'postgres') return shared;
  const own = sqlFiles(SQLITE_FOLDER);
  const [first = ''] = own;
  // SQLite's first one creates everything its tables needed up to then.
  return shared
    .filter(({ name }) => name >= first)
    .map(({ name, file }) => ({
      name,
      file: own.includes(name) ? join(SQLITE_FOLDER, `${name}.sql`) : file,
    }));
}

function sqlFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .toSorted();
}

/**
 * The steps a database lacks, and the ones it has that this program would need to know but doesn't. A compatible step
 * needn't be known.
 */
export async function compareHistory(engine: Engine, ask: Ask) {
  const tables = (await ask(TABLES[engine])).map(({ name }) => name);
  const namesIn = async (table: string) =>
    tables.includes(table)
      ? (await ask(`select name from ${table} order by name`)).map(({ name }) => name)
      : [];
  const required = await namesIn('contact_migration');
  const compatible = await namesIn('compatible_migration');
  const known = migrations(engine).map(({ name }) => name);
  return {
    missing: known.filter((name) => !required.includes(name) && !compatible.includes(name)),
    unknown: required.filter((name) => !known.includes(name)),
  };
}

type Target = { engine: Engine; place: string; ask: Ask; run: (text: string) => unknown };

/** Brings the tables up to date. The caller begins and commits a transaction that nobody else can be in. */
export async function migrate({ engine, place, ask, run }: Target): Promise<void> {
  const { missing, unknown } = await compareHistory(engine, ask);
  if (unknown.length > 0) {
    throw new StoreError(
      `The database ${place} was changed by a newer version of this program in a way that this one can't work with ` +
        `(${unknown.join(', ')}). Start the newer version, or point DATABASE_URL at another database.`,
    );
  }
  for (const { name, file } of migrations(engine))
    if (missing.includes(name)) await run(readFileSync(file, 'utf8'));
  const [forgotten] = (await compareHistory(engine, ask)).missing;
  if (forgotten) throw new Error(`The migration ${forgotten} does not record itself`);
}
