/** The database cannot be used; the message tells the owner what to do. */
export class StoreError extends Error {
  override name = 'StoreError';
}

/** The database isn't there, or has no room at the moment. It may be back soon, with the same settings. */
export class DatabaseAway extends StoreError {}

/** Its code, such as ENOENT, SQLITE_BUSY or 57P01; '' if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
