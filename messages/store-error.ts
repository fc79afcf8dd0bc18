/** The database cannot be used; the message tells the owner what to do. */
export class StoreError extends Error {
  override name = 'StoreError';
}

/** The database isn't there, or has no room at the moment. It may be back soon, with the same settings. */
export class DatabaseAway extends StoreError {}
