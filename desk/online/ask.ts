import { createInterface } from 'node:readline/promises';
import { PROJECT_ROOT, readSettings, SettingsError } from '../../settings/settings.ts';
import { readEnv, withValue, writeEnv } from '../env-file.ts';
import { Failed } from '../failures.ts';

let lines: AsyncIterator<string> | undefined;

/** @throws {Failed} if nobody is there to answer */
export async function ask(question: string, usual = ''): Promise<string> {
  process.stdout.write(`${question}${usual && ` [${usual}]`} `);
  // One reader for all questions, or answers that are typed ahead would be lost.
  lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  if (done) throw new Failed('\nNobody answered, so nothing was changed.');
  return String(value).trim() || usual;
}

export async function yes(question: string): Promise<boolean> {
  return /^y/i.test(await ask(`${question} y/n`, 'y'));
}

/**
 * Writes a setting to `.env`, as she answers or as it's given, unless it's there.
 *
 * @param question undefined takes `value` without asking
 */
export async function askFor(
  name: string,
  question: string | undefined,
  value: string | undefined,
): Promise<void> {
  const { text, values } = readEnv(PROJECT_ROOT);
  if (question ? value : (values[name] ?? process.env[name])) return;
  for (;;) {
    const answer = question ? await ask(`${question}:`) : (value ?? '');
    const typed = name === 'SITE_URL' && answer && !answer.includes('://') ? `https://${answer}` : answer;
    try {
      readSettings({ [name]: typed });
      if (typed) await writeEnv(PROJECT_ROOT, withValue(text, name, typed));
      return;
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      console.log(error.faults.map(({ problem }) => `That ${problem}.`).join('\n'));
    }
  }
}
