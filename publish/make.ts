import { type EmittedFile, writeFiles } from './emitted-files.ts';
import type { buildFonts } from './fonts.ts';
import type { buildFounderPhoto } from './founder-photo.ts';
import type { buildPictures } from './pictures.ts';

type Makers = {
  photo: typeof buildFounderPhoto;
  pictures: typeof buildPictures;
  fonts: typeof buildFonts;
};
export type Thing = keyof Makers;

/** Pictures and fonts, which take much memory and stop everything else: they're made in a process that ends. */
export type Job = Readonly<{ folder: string } & { [Name in Thing]?: Parameters<Makers[Name]> }>;

/** What pages have to know of each thing, and the paths of its files. */
export type Making = {
  [Name in Thing]: Omit<Awaited<ReturnType<Makers[Name]>>, 'files'> & { files: string[] };
};

/** Loads no more than it takes. */
async function make({ folder, photo, pictures, fonts }: Job): Promise<Partial<Making>> {
  const written = async <About extends { files: EmittedFile[] }>({ files, ...about }: About) => {
    await writeFiles(folder, files);
    return { ...about, files: files.map(({ path }) => path) };
  };
  const [onPhoto, onPictures, onFonts] = await Promise.all([
    photo && import('./founder-photo.ts').then((by) => by.buildFounderPhoto(...photo)),
    pictures && import('./pictures.ts').then((by) => by.buildPictures(...pictures)),
    fonts && import('./fonts.ts').then((by) => by.buildFonts(...fonts)),
  ]);
  return {
    ...(onPhoto && { photo: await written(onPhoto) }),
    ...(onPictures && { pictures: await written(onPictures) }),
    ...(onFonts && { fonts: await written(onFonts) }),
  };
}

process.once('message', async (job: Job) => {
  try {
    process.send?.({ made: await make(job) });
  } catch (error) {
    process.send?.({ fault: error instanceof Error ? error.message : String(error) });
  }
  process.disconnect();
});
