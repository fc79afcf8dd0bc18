import { writeFiles } from './emitted-files.ts';
import { buildFonts } from './fonts.ts';
import { buildFounderPhoto } from './founder-photo.ts';
import { buildPictures } from './pictures.ts';

/** Pictures and fonts, which take much memory and stop everything else: they're made in a process that ends. */
export type Job = Readonly<{
  /** Where the files go. */
  folder: string;
  /** The words' folder, for the photo in it. */
  photo?: Parameters<typeof buildFounderPhoto>;
  pictures?: Parameters<typeof buildPictures>;
  fonts?: Parameters<typeof buildFonts>;
}>;

const MAKERS = { photo: buildFounderPhoto, pictures: buildPictures, fonts: buildFonts };
export type Thing = keyof typeof MAKERS;

/** What pages have to know of each thing, and the paths of its files. */
export type Making = {
  [Name in Thing]: Omit<Awaited<ReturnType<(typeof MAKERS)[Name]>>, 'files'> & { files: string[] };
};

async function make({ folder, ...asked }: Job): Promise<Partial<Making>> {
  const made = await Promise.all(
    Object.entries(asked).map(async ([name, args]) => {
      const { files, ...about } = await (
        MAKERS[name as Thing] as (...args: unknown[]) => ReturnType<(typeof MAKERS)[Thing]>
      )(...args);
      await writeFiles(folder, files);
      return [name, { ...about, files: files.map(({ path }) => path) }];
    }),
  );
  return Object.fromEntries(made) as Partial<Making>;
}

process.once('message', async (job: Job) => {
  try {
    process.send?.({ made: await make(job) });
  } catch (error) {
    process.send?.({ fault: error instanceof Error ? error.message : String(error) });
  }
  process.disconnect();
});
