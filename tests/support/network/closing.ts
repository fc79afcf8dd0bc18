/** For `await using`, where no test of Vitest is there to end with. */
export function closing<Opened extends { close(): Promise<unknown> }>(opened: Opened) {
  return { ...opened, [Symbol.asyncDispose]: async () => void (await opened.close()) };
}
