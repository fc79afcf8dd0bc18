import { readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { shortPath } from '../settings/settings.ts';
import type { Picture } from '../site/ui/assets.ts';
import type { Files } from './folder.ts';
import { WordsError } from './words.ts';

/** The layout's largest size, and its pixels on high-density screens. */
const SHOWN = { width: 416, height: 520 };
const MADE = { width: 832, height: 1040 };

/** More than nearly all cameras have. Many more would fill a small machine's memory. */
const MOST_PIXELS = 50_000_000;

/** For the page. @param path of its file in `dist/` */
export const photoIn = (path: string): Picture => ({ src: `/${path}`, ...SHOWN });

type Finish = (photo: Sharp) => Sharp;

const forPage: Finish = (photo) => photo.resize({ ...MADE, fit: 'cover', position: 'attention' }).webp();

/** Cropped, upright, and without metadata such as the location. @throws WordsError that tells the owner what to do about it */
export const makePhoto = async (file: string, path: string): Promise<Files> => ({
  [path]: await readPhoto(await readFile(file), shortPath(file), forPage),
});

/** What's made of a photo of a right size, upright, in sRGB; if nothing, only its header is read. @throws WordsError that says what to do about `path` */
export async function readPhoto(bytes: Buffer, path: string, finish?: Finish, most = MOST_PIXELS) {
  // Only now, since it takes 30 MB of memory.
  const { default: sharp } = await import('sharp');
  const unreadable = (cause: Error) => {
    throw new WordsError(
      `${path} can’t be read as a photo (${cause.message.split('\n')[0]}). Open it in a photo program and save it as a JPEG named founder.jpg, or copy it again from where it came from. To go on without a photo, remove the file.`,
      { cause },
    );
  };
  // An empty file is refused at once.
  const { autoOrient } = await Promise.try(() => sharp(bytes).metadata()).catch(unreadable);
  const { width: wide, height: high } = autoOrient;
  if (wide * high > most) {
    throw new WordsError(
      `${path} has ${wide} × ${high} pixels, which is more than can be read here. Make it smaller, such as 2000 pixels wide.`,
    );
  }
  // One of this size still looks fine on most screens; a smaller one doesn't on any.
  if (wide < SHOWN.width || high < SHOWN.height) {
    throw new WordsError(
      `${path} is only ${wide} × ${high} pixels; the page shows it larger than that. Use a photo of at least ${SHOWN.width} × ${SHOWN.height} pixels, ideally straight from the camera.`,
    );
  }
  if (!finish) return bytes;
  // Without failOn, half of a truncated file would be grey.
  const upright = sharp(bytes, { failOn: 'truncated' }).autoOrient().toColourspace('srgb');
  return finish(upright).toBuffer().catch(unreadable);
}
