const SHORT = 8;

/** The end of an id, where two ids differ most: for people to read and type. Every command of the desk takes it. */
export function shortId(id: string): string {
  return id.slice(-SHORT);
}
