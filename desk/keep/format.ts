import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownFiles } from '../../publish/words.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { PROJECT_ROOT } from '../../settings/settings.ts';

// What a backup holds, under the same names whatever the settings call them.

export const MESSAGES = 'messages.db';
export const SETTINGS = '.env';
export const ENV_FILE = join(PROJECT_ROOT, SETTINGS);

/** `mode` is for the files restored. */
export const FOLDERS = [
  { what: 'words', inZip: 'mine/', setting: 'wordsDir', mode: 0o644, filesIn: ownFiles },
  { what: 'mails', inZip: 'mail/', setting: 'mailDir', mode: 0o600, filesIn: mailsIn },
] as const;

const A_NAME = /^(?!\.)[^/\\\p{Cc}]{1,200}$/u;

/** How large an entry of a backup may be; undefined if it isn't of a backup. */
export function mostBytes(entry: string): number | undefined {
  if (entry === MESSAGES) return Number.POSITIVE_INFINITY;
  if (entry === SETTINGS) return 1e6;
  const folder = FOLDERS.find(({ inZip }) => entry.startsWith(inZip));
  return folder && A_NAME.test(entry.slice(folder.inZip.length)) ? Number.POSITIVE_INFINITY : undefined;
}

async function mailsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.endsWith('.eml')).sort();
}

/** Undefined for a folder, or a file that was erased in the meantime. */
export async function contentOf(path: string): Promise<NonSharedBuffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes(codeOf(error))) return undefined;
    throw error;
  }
}
