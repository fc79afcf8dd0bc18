import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { BlobReader, configure, type FileEntry, ZipReader, ZipWriter } from '@zip.js/zip.js';

// A zip, since any computer opens one, years later too.

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
  for await (const entry of entriesOf(file)) await entry.getData(new WritableStream());
}

/**
 * Writes the entries into a folder, where only their owner can read them.
 *
 * @param isWanted by name; every name must be one that can't lead out of the folder
 * @returns their names
 * @throws an Error if any byte is not as it was packed
 */
export async function unpack(
  file: string,
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of entriesOf(file)) {
    if (!isWanted(entry.filename)) continue;
    const path = join(folder, entry.filename);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await entry.getData(Writable.toWeb(createWriteStream(path, { mode: 0o600 })));
    names.push(entry.filename);
  }
  return names;
}

async function* entriesOf(file: string): AsyncGenerator<FileEntry> {
  const zip = new ZipReader(new BlobReader(await openAsBlob(file)), { checkSignature: true });
  try {
    for await (const entry of zip.getEntriesGenerator()) if (!entry.directory) yield entry;
  } finally {
    await zip.close();
  }
}
