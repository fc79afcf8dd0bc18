import Sqlite from 'better-sqlite3';
import type { Message } from '../../../server/messages/table.ts';

/**
 * As another program or the next start would find them in a sound file, even while a server has it open; only those that
 * match the SQL in `which`.
 */
export function storedRows(file: string, which = 'true'): Message[] {
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    const found = sqlite.pragma('integrity_check', { simple: true });
    if (found !== 'ok') throw new Error(`${file} is damaged: ${found}`);
    return sqlite.prepare<[], Message>(`select * from contact_message where ${which}`).all();
  } finally {
    sqlite.close();
  }
}
