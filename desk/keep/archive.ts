import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { BlobReader, configure, type FileEntry, ZipReader, ZipWriter } from '@zip.js/zip.js';

// A zip, since any computer opens one, years later too.

configure({ useWebWorkers: false });

/** For whoever unpacks it by other means: only they may read it, as here. */
const FILE_OF_OWNER = 0o100600;

/**
 * So much smaller may a file be in the zip than it is. Text that people write gets 3 to 10 times smaller, a table of
 * copies 100 times, and zeros 1,000 times.
 */
const MOST_SQUEEZED = 200;
const ANY_RATIO_BYTES = 1_000_000;

/** Writes all entries into a file, then reads it back. */
export async function pack(
  file: string,
  entries: AsyncIterable<[name: string, content: Blob]>,
): Promise<void> {
  const zip = new ZipWriter(Writable.toWeb(createWriteStream(file)));
  for await (const [name, content] of entries)
    await zip.add(name, new BlobReader(content), { unixMode: FILE_OF_OWNER });
  await zip.close();
  for await (const entry of entriesOf(file)) await entry.getData(new WritableStream());
}

/**
 * Writes the entries into a folder, where only their owner can read them. Nothing is written unless all that they say of
 * themselves is fine.
 *
 * @param mostBytes by an entry's name; undefined: it isn't wanted
 * @returns their names
 * @throws an Error if the zip is made to do harm, or any byte is not as it was packed
 */
export async function unpack(
  file: string,
  folder: string,
  mostBytes: (name: string) => number | undefined,
): Promise<string[]> {
  const sizes = new Map<string, number>();
  let total = 0;
  for await (const entry of entriesOf(file)) {
    const most = mostBytes(entry.filename);
    if (most === undefined) continue;
    const { uncompressedSize: size, compressedSize } = entry;
    if (entry.symlink) throw new Error(`${entry.filename} is a link`);
    if (size > most || size > Math.max(ANY_RATIO_BYTES, MOST_SQUEEZED * compressedSize))
      throw new Error(`${entry.filename} would be ${size} bytes`);
    sizes.set(entry.filename, size);
    total += size;
  }
  const { bavail, bsize } = await statfs(folder);
  if (total > bavail * bsize) throw new Error(`${total} bytes don’t fit on the disk of ${folder}`);
  for await (const entry of entriesOf(file)) {
    if (!sizes.has(entry.filename)) continue;
    const path = join(folder, entry.filename);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Never through a link, nor twice.
    const target = createWriteStream(path, { mode: 0o600, flags: 'wx' });
    await entry.getData(Writable.toWeb(target));
  }
  return [...sizes.keys()];
}

async function* entriesOf(file: string): AsyncGenerator<FileEntry> {
  const zip = new ZipReader(new BlobReader(await openAsBlob(file)), {
    // It also stops at the size that an entry says.
    checkSignature: true,
    checkOverlappingEntry: true,
    // Refuses what programs read in different ways, such as two entries of one name, and names that lead out.
    strictness: 'strict',
  });
  try {
    for await (const entry of zip.getEntriesGenerator()) if (!entry.directory) yield entry;
  } finally {
    await zip.close();
  }
}
