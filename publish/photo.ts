import { readFile } from 'node:fs/promises';
import sharp, { type ResizeOptions, type Sharp } from 'sharp';
import { shortPath } from '../settings/settings.ts';
import type { Photo } from '../site/ui/assets.ts';
import type { EmittedFile } from './folder.ts';

/** 4:5, at the layout's largest size, and at twice that for high-density screens. */
const WIDTHS = [416, 832];
const heightOf = (width: number) => (width * 5) / 4;

/** A photo of this size still looks fine on most screens; a smaller one doesn't on any. */
const LEAST = { width: 416, height: 520 };

/** More than nearly all cameras have. Many more take all the memory of a small machine. */
const MOST_PIXELS = 50_000_000;

/** Newest first; the last one is for browsers that don't support the others. */
const FORMATS = [
  {
    type: 'image/avif',
    extension: 'avif',
    // With its usual effort it takes nine times as long, and saves a tenth.
    encode: (image: Sharp) => image.avif({ quality: 50, effort: 2 }),
  },
  { type: 'image/webp', extension: 'webp', encode: (image: Sharp) => image.webp({ quality: 72 }) },
  {
    type: 'image/jpeg',
    extension: 'jpg',
    encode: (image: Sharp) => image.jpeg({ quality: 76, mozjpeg: true }),
  },
];

/** The photo's files in a folder of the site. */
export const photoPaths = (folder: string): string[] =>
  FORMATS.flatMap(({ extension }) => WIDTHS.map((width) => `${folder}/${width}.${extension}`));

/** The same, for the page. */
export function photoIn(folder: string): Photo {
  const [width = 0] = WIDTHS;
  return {
    src: `/${folder}/${width}.jpg`,
    width,
    height: heightOf(width),
    sources: FORMATS.map(({ type, extension }) => ({
      type,
      srcSet: WIDTHS.map((size) => `/${folder}/${size}.${extension} ${size}w`).join(', '),
    })),
  };
}

/**
 * Crops, rotates and compresses a photo, in any format that `sharp` reads, and removes metadata such as the location.
 *
 * @param folder where it goes in the site
 * @throws an Error that tells the owner what to do about the file
 */
export async function makePhoto(file: string, folder: string): Promise<EmittedFile[]> {
  const width = Math.max(...WIDTHS);
  const cropped = await readPhoto(await readFile(file), shortPath(file), {
    width,
    height: heightOf(width),
    fit: 'cover',
    position: 'attention',
  });
  // JPEG doesn't support transparency.
  cropped.flatten({ background: '#ffffff' });
  return Promise.all(
    FORMATS.flatMap(({ extension, encode }) =>
      WIDTHS.map(async (size) => ({
        path: `${folder}/${size}.${extension}`,
        body: await encode(cropped.clone().resize(size)).toBuffer(),
      })),
    ),
  );
}

/** As much of a photo as is kept. */
const LARGEST: ResizeOptions = { width: 3000, height: 3000, fit: 'inside', withoutEnlargement: true };

/**
 * A photo that's large enough, upright, in sRGB and without metadata.
 *
 * @param path how errors name it
 * @throws an Error that tells the owner what to do about the file
 */
export async function readPhoto(bytes: Buffer, path: string, size = LARGEST): Promise<Sharp> {
  const { autoOrient } = await reading(path, () => sharp(bytes).metadata());
  const { width: wide, height: high } = autoOrient;
  if (wide * high > MOST_PIXELS) {
    throw new Error(
      `${path} has ${wide} × ${high} pixels, which is more than can be read here. Save it smaller, such as 4000 pixels wide.`,
    );
  }
  if (wide < LEAST.width || high < LEAST.height) {
    throw new Error(
      `${path} is only ${wide} × ${high} pixels; the page shows it larger than that. Use a photo of at least ${LEAST.width} × ${LEAST.height} pixels, best as it came from the camera.`,
    );
  }
  // Without failOn, half of a truncated file would be grey.
  const upright = sharp(bytes, { failOn: 'truncated' }).autoOrient().resize(size).toColourspace('srgb');
  return sharp(await reading(path, () => upright.png({ compressionLevel: 1 }).toBuffer()));
}

/** @throws an Error that tells the owner what to do about the file */
async function reading<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `${path} can’t be read as a photo (${reason.split('\n')[0]}). Open it in a photo program and save it as a JPEG named founder.jpg, or copy it once more from where it came from. To go on without a photo, remove the file.`,
      { cause },
    );
  }
}
