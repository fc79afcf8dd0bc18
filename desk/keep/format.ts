import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownFiles } from '../../publish/words.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { count } from '../command/terminal.ts';

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

/** Whether a backup may hold an entry of this name. */
export function isPart(entry: string): boolean {
  const folder = FOLDERS.find(({ inZip }) => entry.startsWith(inZip));
  return folder ? A_NAME.test(entry.slice(folder.inZip.length)) : [MESSAGES, SETTINGS].includes(entry);
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

export type Counts = { messages: number; words?: number; mails?: number; settings?: boolean };

/** “12 messages, 3 files of your words and photo, 2 mails, your settings” */
export function inWords({ messages, words, mails, settings }: Counts): string {
  const parts = [
    count(messages, 'message'),
    words && `${count(words, 'file')} of your words and photo`,
    mails && count(mails, 'mail'),
    settings && 'your settings',
  ];
  return parts.filter(Boolean).join(', ');
}
