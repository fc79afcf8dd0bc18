/** The database can't be used; the message tells the owner what to do. */
export class StoreError extends Error {
  override name = 'StoreError';
}

/** The database is down or out of room. It may recover soon, with the same settings. */
export class DatabaseAway extends StoreError {}

/** The connection ended before the database said whether it has stored what it was given. */
export class MaybeStored extends Error {
  override name = 'MaybeStored';
  code = codeOf(this.cause);
}

/** No room is left on the disk: by Node, SQLite (also for the index of its log) or Postgres. */
export const isDiskFull = (error: unknown) =>
  /^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE|53100)$/.test(codeOf(error));

/** The error's code, such as ENOENT, SQLITE_BUSY or 57P01; '' if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
