import { existsSync } from 'node:fs';
import { styleText } from 'node:util';
import Database from 'better-sqlite3';
import { loadEnv, readSettings, SettingsError } from '../server/settings.ts';

interface Row {
  received_at: number;
  state: string;
  name: string;
  email: string;
  message: string;
}

const STATES: Record<string, string> = {
  waiting: 'waiting to be mailed',
  sent: 'mailed',
  set_aside: 'SET ASIDE: the mail server refuses it',
  spam: 'suspected spam, not mailed',
};

/**
 * `npm run messages`: every stored message, newest first, while the server runs or not.
 *
 * @param file path of the database
 * @returns text for a terminal
 */
export function listMessages(file: string): string {
  if (!existsSync(file)) return `No message yet: ${file} does not exist.\n`;
  // Read-only, so that looking never gets in the way of the server.
  const database = new Database(file, { readonly: true });
  try {
    const rows = database
      .prepare<[], Row>(
        'SELECT received_at, state, name, email, message FROM contact_message ORDER BY received_at DESC, id DESC',
      )
      .all();
    return rows.length === 0 ? 'No message yet.\n' : rows.map(describe).join('\n');
  } finally {
    database.close();
  }
}

function describe({ received_at, state, name, email, message }: Row): string {
  const time = new Date(received_at).toLocaleString('en-CA', { dateStyle: 'medium', timeStyle: 'short' });
  const words = message.replace(/^/gm, '  ');
  return `${styleText('bold', `${name} <${email}>`)}\n${time} · ${STATES[state] ?? state}\n\n${words}\n`;
}

if (import.meta.main) {
  try {
    process.stdout.write(`${listMessages(readSettings(loadEnv()).databaseFile)}\n`);
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof Database.SqliteError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
