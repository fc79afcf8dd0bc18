import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { withProgress } from '../build/progress.mjs';
import type { Database } from '../server/messages/database.ts';
import { type Erased, eraseMessages } from '../server/messages/erase.ts';
import type { Message } from '../server/messages/message.ts';
import { shortId } from '../server/messages/message.ts';
import { eachMessage } from '../server/messages/queries.ts';
import type { Erasable } from '../server/messages/states.ts';
import type { Settings } from '../settings/settings.ts';
import type { Desk } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { findMessage, normalEmail } from './find-message.ts';
import { count, json, note, oneLine, warm, write } from './terminal.ts';
import { localTime } from './time.ts';

type Options = { yes?: true; json?: true };

/** How many messages to list before asking. */
const NAMED = 10;

export function addErase(program: Command, desk: Desk): void {
  program
    .command('erase <who>')
    .description('erase a message by its id, or all of an e-mail address, for good')
    .option('--yes', 'do not ask')
    .action(async (who: string, options: Options) => {
      const { timeZone } = desk.settings();
      const { which, rows } = await findErasable(await desk.database(), who);
      if (!options.yes) {
        for (const row of rows.slice(0, NAMED)) {
          note(
            `${shortId(row.id)}  ${oneLine(row.name)} <${oneLine(row.email)}>, ${localTime(row.receivedAt, timeZone)}\n`,
          );
        }
        if (rows.length > NAMED) note(`… and ${rows.length - NAMED} more\n`);
      }
      await eraseFor(desk, which, rows.length, options);
    });
}

/** What `who`, an id or an e-mail address, would erase, newest first. */
export async function findErasable(
  database: Database,
  who: string,
): Promise<{ which: Erasable; rows: Message[] }> {
  if (!who.includes('@')) {
    const message = await findMessage(database, who);
    return { which: { id: message.id }, rows: [message] };
  }
  const email = normalEmail(who);
  const rows: Message[] = [];
  for await (const row of eachMessage(database, { email }, 'newest first')) rows.push(row);
  return { which: { email }, rows };
}

/** Asks first, unless there's nothing to erase. */
async function eraseFor(desk: Desk, which: Erasable, found: number, options: Options): Promise<void> {
  if (found > 0 && !options.yes) await confirm(`Erase ${count(found, 'message')} for good?`);
  const { mailDir, ...settings } = desk.settings();
  const database = await desk.database();
  const erased = await withProgress('Erasing', 'messages', (show) => {
    const onProgress = (step: string, done: number) =>
      show(step === 'erased' ? done : `overwriting traces among ${count(done, 'other message')}`);
    return eraseMessages(database, which, { mailDir, now: Date.now(), onProgress });
  });
  if (options.json) return write(json(erased));
  for (const { line, isWarning } of describeErased(erased, settings))
    write(`${isWarning ? warm(line) : line}\n`);
}

/** Scripts can't answer, so they have to pass `--yes`. */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new WrongUsage(
      'Nothing was changed: there’s no terminal here to ask for a yes. Add --yes if you mean it.',
    );
  const line = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl+C and Ctrl+D close the prompt without an answer.
  const closed = new Promise<string>((resolve) => void line.once('close', () => resolve('')));
  const answer = await Promise.race([line.question(`${question} [y/N] `), closed]);
  line.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failed('Nothing was changed.');
}

type Line = { line: string; isWarning?: true };

export function describeErased(
  { messages, mailFiles, beingMailed, overwritten }: Erased,
  { mail, database }: Pick<Settings, 'mail' | 'database'>,
): Line[] {
  if (messages + mailFiles === 0) return [{ line: 'There’s nothing to erase.' }];
  const files = mailFiles > 0 ? ` and ${count(mailFiles, 'mail file')}` : '';
  const lines: Line[] = [{ line: `Erased ${count(messages, 'message')}${files}.` }];
  if (beingMailed > 0) {
    const line = `The mail of ${count(beingMailed, 'message')} was on its way just now and may still arrive.`;
    lines.push({ line, isWarning: true });
  }
  if (!overwritten) {
    const line =
      database.engine === 'sqlite'
        ? 'Another program is using the database, so traces remain in its files until that program ends.'
        : 'Traces remain in the database’s files until Postgres vacuums the table, which it does on its own.';
    lines.push({ line, isWarning: true });
  }
  const elsewhere = [
    ...(mail.via !== 'folder' || mailFiles === 0 ? ['mails that were sent to you'] : []),
    'backups and exports',
    ...(database.engine === 'postgres' ? ['the backups and logs of your database server'] : []),
  ];
  lines.push({ line: `What you still have to erase yourself: ${elsewhere.join(', ')}.` });
  return lines;
}
