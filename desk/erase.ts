import type { Database } from '../server/messages/database.ts';
import type { Erased } from '../server/messages/erase.ts';
import { checkEmail } from '../server/messages/fields.ts';
import type { Erasable } from '../server/messages/owner.ts';
import { eachMessage } from '../server/messages/queries.ts';
import type { Message } from '../server/messages/table.ts';
import type { Settings } from '../settings/settings.ts';
import { Failed } from './failures.ts';
import { findMessage } from './find-message.ts';
import { count } from './terminal.ts';

/** What `who`, an id or an e-mail address, would erase, newest first. */
export async function findErasable(
  database: Database,
  who: string,
): Promise<{ which: Erasable; rows: Message[] }> {
  if (!who.includes('@')) {
    const message = await findMessage(database, who);
    return { which: { id: message.id }, rows: [message] };
  }
  // As the form would have stored it.
  const email = checkEmail(who);
  if (email === undefined) throw new Failed('Give a whole e-mail address.');
  const rows: Message[] = [];
  for await (const row of eachMessage(database, { email }, 'newest first')) rows.push(row);
  return { which: { email }, rows };
}

/** What the owner reads, line by line. */
export function describeErased(
  { messages, mailFiles, beingMailed, overwritten }: Erased,
  { mail, database }: Pick<Settings, 'mail' | 'database'>,
): string[] {
  if (messages + mailFiles === 0) return ['There’s nothing to erase.'];
  const files = mailFiles > 0 ? ` and ${count(mailFiles, 'mail file')}` : '';
  const traces =
    database.engine === 'sqlite'
      ? 'Another program is using the database, so traces remain in its files until that program ends.'
      : 'Traces remain in the database’s files until Postgres vacuums the table, which it does on its own.';
  const elsewhere = [
    ...(mail.via !== 'folder' || mailFiles === 0 ? ['mails that were sent to you'] : []),
    'backups and exports',
    ...(database.engine === 'postgres' ? ['the backups and logs of your database server'] : []),
  ];
  return [
    `Erased ${count(messages, 'message')}${files}.`,
    ...(beingMailed > 0
      ? [`The mail of ${count(beingMailed, 'message')} was on its way just now and may still arrive.`]
      : []),
    ...(overwritten ? [] : [traces]),
    `What you still have to erase yourself: ${elsewhere.join(', ')}.`,
  ];
}
