import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { compareHistory, readHistory } from '../../messages/migrations.ts';
import { StoreError } from '../../messages/store-error.ts';
import type { DatabaseSetting } from '../../settings/checks.ts';
import type { Settings } from '../../settings/settings.ts';
import { DESK_CONNECTION, shortPath } from '../desk.ts';
import { describeAlarm } from './alarm.ts';
import { about, type Finding } from './finding.ts';
import { backup, describeBackup, describeQueue, readQueue } from './queue.ts';
import type { Look } from './sqlite-look.ts';

export const database = about('messages', 'database', 'Database');

const LOOK = join(import.meta.dirname, 'sqlite-look.ts');

/** The database itself, the messages that it keeps, the last digest and the last backup. Its tables stay as they are. */
export async function checkDatabase(
  settings: Settings,
  now: number,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { database: setting } = settings;
  if (setting.engine === 'sqlite' && !existsSync(setting.file)) {
    return [
      database.look(
        `There is none yet at ${shortPath(setting.file)}.`,
        'The server makes it at its first start: npm start. If there were messages before, check DATABASE_URL.',
      ),
    ];
  }
  const { look, place } =
    setting.engine === 'sqlite'
      ? { look: await lookInAnotherProcess(setting.file, now, signal), place: shortPath(setting.file) }
      : await lookAtPostgres(setting.url, now);
  const line = describe(look, place, setting.engine);
  if (!look.queue)
    return [line, backup.look('Unknown, since the database says nothing.', 'See to the database first.')];
  const { lastBackupAt, lastDigestAt } = look.queue;
  return [
    line,
    ...describeQueue(look.queue, now),
    // A project's function has settings of its own, which are not known here.
    ...(settings.supabaseUrl ? [] : [describeAlarm(settings, lastDigestAt, now)]),
    describeBackup(lastBackupAt, now),
  ];
}

async function lookInAnotherProcess(file: string, now: number, signal: AbortSignal): Promise<Look> {
  const { stdout } = await promisify(execFile)(process.execPath, [LOOK, file, String(now)], { signal });
  return JSON.parse(stdout) as Look;
}

/** Each query has a time limit of its own. */
async function lookAtPostgres(
  url: string,
  now: number,
): Promise<{ look: Look & { problem?: string }; place: string }> {
  const { openPostgres } = await import('../../messages/postgres.ts');
  let opened: Awaited<ReturnType<typeof openPostgres>>;
  try {
    opened = await openPostgres(url, { ...DESK_CONNECTION, migrate: false, check: true });
  } catch (error) {
    if (error instanceof StoreError) return { look: { problem: error.message }, place: '' };
    throw error;
  }
  const { db, place, close } = opened;
  try {
    const ask = async (query: string) => (await sql.raw<{ name: string }>(query).execute(db)).rows;
    const look: Look = compareHistory('postgres', await readHistory('postgres', ask));
    if (look.missing?.length || look.unknown?.length) return { look, place };
    try {
      await db
        .insertInto('store_check')
        .values({ id: 1, checked_at: now })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ checked_at: now }))
        .execute();
    } catch (error) {
      look.notWritable = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    }
    look.queue = await readQueue({ db });
    return { look, place };
  } finally {
    await close();
  }
}

function describe(
  look: Look & { problem?: string },
  place: string,
  engine: DatabaseSetting['engine'],
): Finding {
  if (look.problem !== undefined) {
    // What the server says when it cannot start with it.
    const found = look.problem.replace(/ Check DATABASE_URL\.$/, '');
    return database.wrong(found, 'Check DATABASE_URL, and that the database server runs.');
  }
  if (look.failed !== undefined) {
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(look.failed)) return damaged(place);
    if (/^SQLITE_(BUSY|LOCKED)/.test(look.failed)) {
      return database.wrong(
        `${place} is held by another program (${look.failed}).`,
        'End that program, such as a backup or a viewer that has the file open.',
      );
    }
    return database.wrong(
      `${place} cannot be opened (${look.failed}).`,
      'Check the rights of the file and its folder; run this as the user that the server runs as.',
    );
  }
  if (look.integrity !== undefined && look.integrity !== 'ok') return damaged(place);
  if (look.unknown && look.unknown.length > 0) {
    return database.wrong(
      `${place} was changed by a newer version of this program, and this one can't start with it.`,
      'Install the newer version again, or point DATABASE_URL at another database.',
    );
  }
  if (look.missing && look.missing.length > 0) {
    return database.look(
      `${place} is from an older version of this program.`,
      'It is brought up to date at the next start: npm start. Make a backup of it before.',
    );
  }
  if (look.notWritable !== undefined) {
    return database.wrong(
      `${place} takes no writes (${look.notWritable}), so no message can be stored.`,
      'Check the space on its disk and the rights of the file; run this as the user that the server runs as.',
    );
  }
  return database.ok(engine === 'sqlite' ? `${place} is whole and takes writes.` : `${place} takes writes.`);
}

function damaged(place: string): Finding {
  return database.wrong(
    `${place} is damaged, or is no database.`,
    'Stop the server, keep a copy of the file, and put your last backup in its place: npm run desk restore FILE',
  );
}
