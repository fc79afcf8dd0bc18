import { createInterface } from 'node:readline/promises';
import { type Erased, eraseMessages } from '../messages/erase.ts';
import type { Erasable } from '../messages/states.ts';
import type { Settings } from '../settings/settings.ts';
import type { Desk } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { count, json, warm, write } from './terminal.ts';

type Options = { yes?: true | undefined; json?: true | undefined };

/**
 * Asks, unless there's nothing to ask about, and erases.
 *
 * @param question ends with a question mark
 */
export async function eraseFor(
  desk: Desk,
  which: Erasable,
  question: string | undefined,
  { yes, json: asJson }: Options,
): Promise<void> {
  if (question && !yes) await confirm(question);
  const settings = desk.settings();
  const options = { mailDir: settings.mailDir, now: desk.now() };
  const erased = await eraseMessages(await desk.database(), which, options);
  write(asJson ? json(erased) : describeErased(erased, settings));
}

/**
 * Whoever cannot be asked, such as a script, must have said `--yes`.
 *
 * @throws {Failed} when the answer is anything but yes
 */
async function confirm(question: string): Promise<void> {
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

/** What is gone, and what only the owner can reach. */
function describeErased(
  { messages, mailFiles, beingMailed, overwritten }: Erased,
  { mail, database }: Pick<Settings, 'mail' | 'database'>,
): string {
  if (messages + mailFiles === 0) return 'There was nothing to erase.\n';
  const files = mailFiles > 0 ? ` and ${count(mailFiles, 'mail file')}` : '';
  const lines = [`Erased ${count(messages, 'message')}${files}.`];
  if (beingMailed > 0) {
    lines.push(
      warm(`The mail of ${count(beingMailed, 'message')} was on its way just now and may still arrive.`),
    );
  }
  if (!overwritten) {
    lines.push(
      warm(
        database.engine === 'sqlite'
          ? 'Another program is using the database, so traces remain in its files until that program ends.'
          : 'Traces remain in the database’s files until Postgres vacuums the table, which it does by itself.',
      ),
    );
  }
  const elsewhere = [
    ...(mail.via !== 'folder' || mailFiles === 0 ? ['mails that were sent to you'] : []),
    'backups and exports',
    ...(database.engine === 'postgres' ? ['the backups and logs of your database server'] : []),
  ];
  lines.push(`Out of reach, and yours to erase: ${elsewhere.join(', ')}.`);
  return `${lines.join('\n')}\n`;
}
