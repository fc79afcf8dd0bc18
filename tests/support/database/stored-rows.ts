import Sqlite from 'better-sqlite3';
import type { Message } from '../../../server/messages/table.ts';

/** As another program reads them, also from a file that a server has open; those of which the SQL in `which` is true. */
export function storedRows(file: string, which = 'true'): Message[] {
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    return sqlite.prepare<[], Message>(`select * from contact_message where ${which}`).all();
  } finally {
    sqlite.close();
  }
}
