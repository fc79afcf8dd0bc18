import type { Erased } from '../../server/messages/erase.ts';
import type { Settings } from '../../settings/settings.ts';
import { count } from '../terminal.ts';

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
