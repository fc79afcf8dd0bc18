/** The database cannot be used; the message tells the owner what to do. */
export class StoreError extends Error {
  override name = 'StoreError';
}
