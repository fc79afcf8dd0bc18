import type { Erased } from '../messages/erase.ts';
import type { Settings } from '../settings/settings.ts';
import { count, warm } from './terminal.ts';

/** What is gone, and what only the owner can reach. */
export function describeErased(
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
