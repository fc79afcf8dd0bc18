// @ts-check
// Plain JavaScript, since the install needs it on whatever Node the machine has.

const DRAW_MS = 250;

/** @typedef {(done: number | string, all?: number) => void} Show how much is done, or what's being done; it costs next to nothing */

/**
 * Does long work, and says on a terminal how far it is and for how long: `Copying: 12,400 of 20,000 messages, 8 s`.
 * Nothing goes into a pipe or a file.
 *
 * @template T
 * @param {string} what
 * @param {string} unit of what's counted
 * @param {(show: Show) => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(what, unit, work) {
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
