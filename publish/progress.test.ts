import { afterEach, expect, test, vi } from 'vitest';
import { withProgress } from './progress.mjs';

const wasTerminal = process.stderr.isTTY;
afterEach(() => {
  process.stderr.isTTY = wasTerminal;
  vi.restoreAllMocks();
});

/** What the terminal, or the pipe, gets. */
function listen(isTerminal: boolean): () => string {
  process.stderr.isTTY = isTerminal;
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  return () => write.mock.calls.map(([text]) => text).join('');
}

test('on a terminal, one line says what is done, how much of it and for how long, and goes at the end', async () => {
  const said = listen(true);
  const result = await withProgress('Copying', 'messages', async (show) => {
    show(12_400, 20_000);
    await expect.poll(said).toMatch(/Copying: 12,400 of 20,000 messages, \d+ s$/);
    show('comparing');
    await expect.poll(said).toMatch(/\r[^\n]{0,4}Copying: comparing, \d+ s$/);
    return 'done';
  });
  expect(result).toBe('done');
  expect(said()).toMatch(/\r[^\r\n]{3}$/);
  expect(said()).not.toContain('\n');
});

test('work that fails leaves no line behind, and its error goes on', async () => {
  const said = listen(true);
  await expect(withProgress('Copying', '', () => Promise.reject(new Error('full')))).rejects.toThrow('full');
  expect(said()).toMatch(/^\r[^\r\n]{3}$/);
});

test('a pipe gets nothing', async () => {
  const said = listen(false);
  expect(await withProgress('Copying', 'messages', (show) => show(1, 2))).toBe(undefined);
  expect(said()).toBe('');
});
