/** For `await using`, if there's no Vitest test to end with. */
export function closing<Opened extends { close(): Promise<unknown> }>(opened: Opened) {
  return { ...opened, [Symbol.asyncDispose]: async () => void (await opened.close()) };
}
