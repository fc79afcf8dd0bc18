import { writeFiles } from './folder.ts';
import type { makeFonts } from './fonts.ts';
import type { makePhoto } from './photo.ts';
import type { makeSharePicture } from './share-picture.ts';

/** What takes much memory and stops everything else, so that it's made in a process that ends: only what's missing. */
export interface Job {
  folder: string;
  photo?: Parameters<typeof makePhoto> | undefined;
  share?: Parameters<typeof makeSharePicture> | undefined;
  fonts?: Parameters<typeof makeFonts> | undefined;
}

/** Loads no more than it takes. */
async function make({ folder, photo, share, fonts }: Job): Promise<void> {
  const made = await Promise.all([
    photo && import('./photo.ts').then(({ makePhoto }) => makePhoto(...photo)),
    share && import('./share-picture.ts').then(({ makeSharePicture }) => makeSharePicture(...share)),
    fonts && import('./fonts.ts').then(({ makeFonts }) => makeFonts(...fonts)),
  ]);
  await writeFiles(
    folder,
    made.flatMap((files) => files ?? []),
  );
}

process.once('message', async (job: Job) => {
  const fault = await make(job).then(
    () => ({}),
    (error) => ({ fault: error instanceof Error ? error.message : String(error), code: error?.code }),
  );
  process.send?.(fault);
  process.disconnect();
});
