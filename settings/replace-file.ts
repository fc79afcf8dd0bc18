import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a whole file in one step, and makes its folder if it's missing: after a crash or a power cut, the old content is there or the new one, never half.
 *
 * @throws the file system's error, with the old content untouched
 */
export async function replaceFile(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await using file = await open(unfinished, 'w', mode);
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

/** The rename isn't durable until the folder is fsynced. Windows can't open one, and some file systems can't sync it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch {}
}
