const SHORT = 8;

/** The end of an id, where ids differ most, for people to read and type. Every desk command takes it. */
export function shortId(id: string): string {
  return id.slice(-SHORT);
}
