const DRAW_MS = 250;

/** Shows how much is done; it costs next to nothing. */
type Show = (done: number | string, all?: number) => void;

/**
 * Does long work, and says on a terminal how far it is and for how long: `Copying: 12,400 of 20,000 messages, 8 s`.
 * Nothing goes into a pipe or a file.
 *
 * @param unit of what's counted
 */
export async function withProgress<T>(
  what: string,
  unit: string,
  work: (show: Show) => T | Promise<T>,
): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work(() => {});
  const startedAt = performance.now();
  let far = '';
  const draw = () => {
    const line = `${what}${far && `: ${far}`}, ${Math.round((performance.now() - startedAt) / 1000)} s`;
    stderr.write(`\r\x1b[K${line.slice(0, (stderr.columns || 80) - 1)}`);
  };
  const timer = setInterval(draw, DRAW_MS);
  try {
    return await work((done, all) => {
      const number = done.toLocaleString('en');
      far =
        typeof done === 'string' ? done : `${number}${all ? ` of ${all.toLocaleString('en')}` : ''} ${unit}`;
    });
  } finally {
    clearInterval(timer);
    stderr.write('\r\x1b[K');
  }
}
