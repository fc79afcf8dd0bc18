import { rename, rm } from 'node:fs/promises';

/** Puts a finished folder in the place of another. If that fails, the one that was there is there again. */
export async function replaceFolder(finished: string, folder: string): Promise<void> {
  const old = `${folder}.old-${process.pid}`;
  // In containers, the numbers of processes come again.
  await rm(old, { recursive: true, force: true });
  const wasThere = await rename(folder, old).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return false;
    },
  );
  try {
    await rename(finished, folder);
  } catch (error) {
    if (wasThere) await rename(old, folder);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}
