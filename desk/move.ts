import { existsSync, renameSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type Kysely, sql } from 'kysely';
import {
  openDatabase,
  openSqlite,
  type PostgresDatabase,
  type SqliteDatabase,
  type Tables,
} from '../messages/database.ts';
import { parsePostgresUrl } from '../settings/postgres-url.ts';
import { AT_ONCE, type Contents, copyContents, messageBatches, readContents } from './copy.ts';
import { DESK_CONNECTION, type Desk, shortPath } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { count, json, warm, write } from './terminal.ts';

type Options = { to: string; merge?: boolean; json?: true };

/** How long the server gets to finish a write before it counts as running. */
const STILL_OPEN_MS = 1_000;
export function addMove(program: Command, desk: Desk): void {
  program
    .command('move')
    .description('move everything from the SQLite file into a Postgres database')
    .requiredOption('--to <address>', 'postgres://user:password@host:5432/database, or - to read it')
    .option('--merge', 'add to the messages that the database already holds')
    .option('--json', 'for scripts')
    .addHelpText(
      'after',
      `
Stop the server first. Messages keep their ids, Message-IDs, states and times. Until the end the database
holds nothing of them, so that a move which was broken off is simply started again. Afterwards the file is
kept under another name.`,
    )
    .action(async ({ to, merge = false, json: asJson }: Options) => {
      const { database: setting } = desk.settings();
      if (setting.engine !== 'sqlite')
        throw new Failed('DATABASE_URL names a Postgres database already; there is no file to move.');
      const { file } = setting;
      const url = checkedAddress(to === '-' ? (await text(process.stdin)).trim() : to);
      const kept = `${file}.moved`;
      if (!existsSync(file)) {
        throw new Failed(
          `There is no database at ${shortPath(file)}${existsSync(kept) ? `; ${shortPath(kept)} was moved before` : '. Is DATABASE_URL right?'}.`,
        );
      }
      if (existsSync(kept)) {
        throw new Failed(
          `${shortPath(kept)} is there from an earlier move. Put it elsewhere, so that it is not overwritten.`,
        );
      }
      const moved = await move(file, url, merge);
      renameSync(file, kept);
      if (asJson) return write(json({ ...moved, kept }));
      tell(moved, shortPath(kept));
    });
}

/** Not left to Commander, which would repeat the address and with it the password. */
function checkedAddress(url: string): string {
  const parsed = parsePostgresUrl(url);
  if (!parsed.ok) throw new WrongUsage(`The address after --to ${parsed.problem}.`);
  return url;
}

type Moved = Contents & { waiting: number; place: string; wasThere: number };

async function move(file: string, url: string, merge: boolean): Promise<Moved> {
  const source = await openAlone(file);
  try {
    const target = await openDatabase({ engine: 'postgres', url }, DESK_CONNECTION);
    try {
      return await copy(source, target as PostgresDatabase, merge);
    } catch (error) {
      if (error instanceof Failed) throw error;
      const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
      throw new Failed(
        `The move was broken off by an error of the database${code}. Nothing is lost: start it again.`,
      );
    } finally {
      await target.close();
    }
  } finally {
    if (source.sqlite.inTransaction) source.sqlite.exec('rollback');
    await source.close();
  }
}

/** Nobody else reads or writes the file until it is closed: what a server took meanwhile would be left behind. */
async function openAlone(file: string): Promise<SqliteDatabase> {
  const database = await openSqlite(file);
  try {
    database.sqlite.pragma(`busy_timeout = ${STILL_OPEN_MS}`);
    // Possible only while no other program has the file open, be it idle. It also makes one file of it.
    database.sqlite.pragma('journal_mode = DELETE');
    database.sqlite.exec('begin exclusive');
    return database;
  } catch (error) {
    await database.close();
    const busy = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
    if (!busy) throw error;
    throw new Failed(
      `Another program has ${shortPath(file)} open, most likely the server. Stop it first: messages that it takes during the move would be left behind, or mailed twice.`,
    );
  }
}

async function copy(source: SqliteDatabase, target: PostgresDatabase, merge: boolean): Promise<Moved> {
  return target.db.transaction().execute(async (transaction) => {
    // A server on the target that takes or mails a message waits until all are there.
    await sql`lock table contact_message in exclusive mode`.execute(transaction);
    const wasThere = await countOf(transaction);
    const { place } = target;
    const waiting = await countOf(source.db, 'waiting');
    if (wasThere > 0 && !merge) {
      // Broken off after the last step but one, or told that it failed when it had not.
      const [there, here] = [await readContents(transaction), await readContents(source.db)];
      if (there.digest === here.digest) return { ...here, waiting, place, wasThere: 0 };
      throw new Failed(
        `Nothing was moved, because ${place} holds ${count(wasThere, 'message')} already. Name an empty database, or add --merge to keep these as well.`,
      );
    }
    if (merge) {
      const messages = await mergeContents(source.db, transaction);
      return { messages, digest: (await readContents(source.db)).digest, waiting, place, wasThere };
    }
    // What a server that has just begun has counted is not worth more than what is moved.
    await transaction.deleteFrom('daily_count').execute();
    await transaction.deleteFrom('last_done').execute();
    const copied = await copyContents(source.db, transaction);
    const found = await readContents(transaction);
    if (found.digest !== copied.digest || found.messages !== copied.messages)
      throw new Failed('What arrived differs from what was sent, so nothing was moved.');
    return { ...found, waiting, place, wasThere };
  });
}

async function countOf(db: Kysely<Tables>, state?: 'waiting'): Promise<number> {
  let query = db.selectFrom('contact_message').select(({ fn }) => fn.countAll<number>().as('held'));
  if (state) query = query.where('state', '=', state);
  return (await query.executeTakeFirstOrThrow()).held;
}

/**
 * Adds what is not there yet; of a message that is there already, the target knows better how far it has come.
 *
 * @returns how many messages of the source the target now holds
 */
async function mergeContents(source: Kysely<Tables>, target: Kysely<Tables>): Promise<number> {
  let messages = 0;
  for await (const rows of messageBatches(source)) {
    await target
      .insertInto('contact_message')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    const ids = rows.map(({ id }) => id);
    const arrived = await target
      .selectFrom('contact_message')
      .select(['id', 'received_at', 'name', 'email', 'message', 'message_id'])
      .where('id', 'in', ids)
      .orderBy('id')
      .execute();
    const sent = rows.map(({ id, received_at, name, email, message, message_id }) => {
      return { id, received_at, name, email, message, message_id };
    });
    if (JSON.stringify(arrived) !== JSON.stringify(sent))
      throw new Failed('Messages with the same id differ, so nothing was moved.');
    messages += rows.length;
  }
  const counts = await source.selectFrom('daily_count').select(['day', 'what', 'count']).execute();
  for (let start = 0; start < counts.length; start += AT_ONCE) {
    await target
      .insertInto('daily_count')
      .values(counts.slice(start, start + AT_ONCE))
      .onConflict((conflict) => conflict.columns(['day', 'what']).doNothing())
      .execute();
  }
  return messages;
}

function tell({ messages, waiting, place, digest, wasThere }: Moved, kept: string): void {
  write(
    `Moved ${count(messages, 'message')} to ${place} and compared them there${wasThere > 0 ? ', one by one' : `: same count, same checksum ${digest.slice(0, 12)}`}.\n` +
      (wasThere > 0 ? `It held ${count(wasThere, 'message')} before and keeps them.\n` : '') +
      `The file is now ${kept}; nothing reads it any more. Erase it when you no longer need it.\n`,
  );
  if (waiting > 0) write(warm(`${count(waiting, 'message')} still wait to be mailed.\n`));
  write('Now set DATABASE_URL to that address, and start the server.\n');
}
