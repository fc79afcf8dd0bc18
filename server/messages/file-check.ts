import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { codeOf } from './store-error.ts';

/**
 * Reads a whole database file, which takes 20 s for a gigabyte on a cold disk, and would block SQLite's thread for as
 * long. Hence a process of its own. False too if it can't tell, or was aborted.
 */
export async function isFileDamaged(file: string, signal: AbortSignal): Promise<boolean> {
  const check = promisify(execFile)(process.execPath, [import.meta.filename, file], { signal });
  return check.then(
    ({ stdout }) => stdout === 'damaged',
    () => false,
  );
}

if (import.meta.main) {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Not where the service's sandbox forbids it.
  }
  process.stdout.write(check(process.argv[2] ?? ''));
}

function check(file: string): string {
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { readonly: true, fileMustExist: true });
    return sqlite.pragma('quick_check(1)', { simple: true }) === 'ok' ? 'whole' : 'damaged';
  } catch (error) {
    return /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error)) ? 'damaged' : 'unknown';
  } finally {
    sqlite?.close();
  }
}
