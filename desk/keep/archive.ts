import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { BlobReader, configure, type FileEntry, ZipReader, ZipWriter } from '@zip.js/zip.js';
import { Failed } from '../command/failures.ts';
import { isPart, MESSAGES } from './format.ts';

configure({ useWebWorkers: false });

/** For whoever unpacks it by other means: only they may read it, as here. */
const FILE_OF_OWNER = 0o100600;

/** Writes all entries into a file, then reads it back. */
export async function pack(
  file: string,
  entries: AsyncIterable<[name: string, content: Blob]>,
): Promise<void> {
  const zip = new ZipWriter(Writable.toWeb(createWriteStream(file)));
  for await (const [name, content] of entries)
    await zip.add(name, new BlobReader(content), { unixMode: FILE_OF_OWNER });
  await zip.close();
  await withEntries(file, async (all) => {
    for (const entry of all) await entry.getData(new WritableStream());
  });
}

/**
 * Writes what a backup may hold into a folder, where only their owner can read them. Nothing is written unless all that they say of
 * themselves is fine.
 *
 * @returns their names, and when the first of them was packed, in milliseconds since 1970
 * @throws an Error if the zip is made to do harm, or any byte is not as it was packed
 */
export function unpack(file: string, folder: string) {
  return withEntries(file, async (all) => {
    // Safari unpacks what it downloads. Packed again, all of it is in a folder.
    const moved = all.find(({ filename }) => /^[^/]+\/messages\.db$/.test(filename));
    const top = moved?.filename.slice(0, -MESSAGES.length) ?? '';
    const wanted = all
      .filter(({ filename }) => filename.startsWith(top))
      .map((entry) => ({ name: entry.filename.slice(top.length), entry }))
      .filter(({ name }) => isPart(name));
    const link = wanted.find(({ entry }) => entry.symlink);
    if (link) throw new Error(`${link.name} is a link`);
    const bytes = wanted.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
    const { bavail, bsize } = await statfs(folder);
    // Visitors need the other half.
    if (bytes > (bavail * bsize) / 2)
      throw new Failed(
        `The disk of ${dirname(folder)} has too little room: unpacked, it’s ${Math.ceil(bytes / 1e6)} MB, and twice as much must be free.`,
      );
    for (const { name, entry } of wanted) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // Never through a link, nor twice.
      const target = createWriteStream(path, { mode: 0o600, flags: 'wx' });
      await entry.getData(Writable.toWeb(target));
    }
    return { names: wanted.map(({ name }) => name), madeAt: wanted[0]?.entry.lastModDate.getTime() };
  });
}

async function withEntries<T>(file: string, use: (entries: FileEntry[]) => Promise<T>): Promise<T> {
  const zip = new ZipReader(new BlobReader(await openAsBlob(file)), {
    // It also stops at the size that an entry says.
    checkSignature: true,
    checkOverlappingEntry: true,
    // Refuses what programs read in different ways, such as two entries of one name, and names that lead out.
    strictness: 'strict',
  });
  try {
    const entries = await zip.getEntries();
    return await use(entries.filter((entry) => !entry.directory));
  } finally {
    await zip.close();
  }
}
