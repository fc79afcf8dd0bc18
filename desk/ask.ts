import { createInterface } from 'node:readline/promises';
import { Failed, WrongUsage } from './failures.ts';

/**
 * Asks before what cannot be undone. Whoever cannot be asked, such as a script, must have said `--yes`.
 *
 * @param question ends with a question mark
 * @throws {Failed} when the answer is anything but yes
 */
export async function confirm(question: string, { yes }: { yes?: true | undefined }): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new WrongUsage('Nothing was changed: nobody can be asked here. Say --yes if you mean it.');
  }
  const line = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl+C and Ctrl+D close it without an answer.
  const closed = new Promise<string>((resolve) => void line.once('close', () => resolve('')));
  const answer = await Promise.race([line.question(`${question} [y/N] `), closed]);
  line.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failed('Nothing was changed.');
}
