import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SENTENCES_FILE, type Sentences } from '../../contract/refusal-sentences.ts';
import { DIST } from '../../publish/publish.ts';
import { readSentences } from '../../server/http/answers.ts';
import type { Database } from '../../server/messages/database.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { StoreError } from '../../server/messages/store-error.ts';
import { type Settings, shortPath } from '../../settings/settings.ts';

export const DESK_CONNECTION = { connections: 1 };

/** Never creates a file: a mistyped DATABASE_URL must not leave an empty database behind. */
export async function openExisting({ database: setting }: Settings): Promise<Database> {
  if (setting.engine === 'sqlite' && !statSync(setting.file, { throwIfNoEntry: false })) {
    throw new StoreError(
      `There is no database at ${shortPath(setting.file)}: the server makes it at its first start. Is DATABASE_URL right?`,
    );
  }
  return openDatabase(setting, DESK_CONNECTION);
}

/** What the page says and promises: `SENTENCES`, as a function on Supabase has it, or what was published last. */
export function sentences(dist = DIST): Sentences {
  const path = join(dist, SENTENCES_FILE);
  const built = process.env.SENTENCES ?? (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  return readSentences(built);
}
