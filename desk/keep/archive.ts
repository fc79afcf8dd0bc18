import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, readFile, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { BlobReader, configure, type FileEntry, ZipReader, ZipWriter } from '@zip.js/zip.js';
import { codeOf } from '../../server/messages/store-error.ts';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { count, Failed } from '../command/command.ts';

/* What a backup holds, under the same names whatever the settings call them. */

export const MESSAGES = 'messages.db';
export const ENV = '.env';
export const ENV_FILE = join(PROJECT_ROOT, ENV);

/** Where her words and photo are. */
export const WORDS = 'mine/';

const A_NAME = /^(?!\.)[^/\\\p{Cc}]{1,200}$/u;

function isPart(entry: string): boolean {
  return entry.startsWith(WORDS) ? A_NAME.test(entry.slice(WORDS.length)) : [MESSAGES, ENV].includes(entry);
}

/** Undefined for a folder, or a file that was erased in the meantime. */
export const contentOf = (path: string) =>
  readFile(path).catch((error: unknown) => {
    if (!['ENOENT', 'EISDIR'].includes(codeOf(error))) throw error;
  });

/** `words` are the files of her words and photo. */
export type Counts = { messages: number; words: number; settings?: boolean };

/** “12 messages, 3 files of your words and photo, your settings” */
export function inWords({ messages, words, settings }: Counts): string {
  const parts = [
    count(messages, 'message'),
    words && `${count(words, 'file')} of your words and photo`,
    settings && 'your settings',
  ];
  return parts.filter(Boolean).join(', ');
}

configure({ useWebWorkers: false });

/** If it's unpacked by other means: only its owner may read it, as here. */
const FILE_OF_OWNER = 0o100600;

/** Writes all entries into a file that only its owner can read, then reads it back. */
export async function pack(file: string, entries: AsyncIterable<File>) {
  const zip = new ZipWriter(Writable.toWeb(createWriteStream(file, { mode: 0o600 })));
  for await (const entry of entries)
    await zip.add(entry.name, new BlobReader(entry), { unixMode: FILE_OF_OWNER });
  await zip.close();
  await withEntries(file, async (all) => {
    for (const entry of all) await entry.getData(new WritableStream());
  });
}

/** Unpacks what a backup may hold. @throws an Error if the zip is malicious, or any byte is not as it was packed */
export function unpack(file: string, folder: string) {
  return withEntries(file, async (all) => {
    // Safari unpacks downloads. Packed again, everything is in a folder.
    const moved = all.find(({ filename }) => /^[^/]+\/messages\.db$/.test(filename));
    const top = moved?.filename.slice(0, -MESSAGES.length) ?? '';
    const wanted = all
      .filter(({ filename }) => filename.startsWith(top))
      .map((entry) => ({ name: entry.filename.slice(top.length), entry }))
      .filter(({ name }) => isPart(name));
    const bytes = wanted.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
    const { bavail, bsize } = await statfs(folder);
    // Visitors need the other half.
    if (bytes > (bavail * bsize) / 2)
      throw new Failed(
        `The disk of ${dirname(folder)} has too little room: unpacked, it’s ${Math.ceil(bytes / 1e6)} MB, and twice that must be free.`,
      );
    for (const { name, entry } of wanted) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      // A link becomes a file with its target's name in it. Nothing is written twice.
      const target = createWriteStream(path, { mode: 0o600, flags: 'wx' });
      await entry.getData(Writable.toWeb(target));
    }
    return wanted.map(({ name }) => name);
  });
}

async function withEntries<T>(file: string, use: (entries: FileEntry[]) => Promise<T>): Promise<T> {
  const zip = new ZipReader(new BlobReader(await openAsBlob(file)), {
    // This also stops at an entry's stated size.
    checkSignature: true,
    checkOverlappingEntry: true,
    // Refuses what programs read differently, such as two entries with one name, and names that lead outside.
    strictness: 'strict',
  });
  try {
    const entries = await zip.getEntries();
    return await use(entries.filter((entry) => !entry.directory));
  } finally {
    await zip.close();
  }
}
