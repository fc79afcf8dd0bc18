import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { shortPath } from '../settings/settings.ts';
import type { Photo } from '../site/ui/assets.ts';
import { type EmittedFile, hashed } from './emitted-files.ts';
import { photoFile } from './words.ts';

/** 4:5, at the layout's largest size, and at twice that for high-density screens. */
const WIDTHS = [416, 832];
const RATIO = 5 / 4;

/** A photo of this size still looks fine on most screens; a smaller one doesn't on any. */
const LEAST = { width: 416, height: 520 };

/** More than nearly all cameras have. Many more take all the memory of a small machine. */
const MOST_PIXELS = 50_000_000;
/** As much of it as is kept. */
const LARGEST = 3000;

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

interface FounderPhoto {
  photo: Photo | null;
  files: EmittedFile[];
}

/**
 * Crops, rotates and compresses the owner's photo, in any format that `sharp` reads, and removes metadata such as the location.
 * `photo` is null if there isn't one; the page then shows the drawn portrait.
 *
 * @param wordsDir the owner's words and photo
 * @throws an Error that tells the owner what to do about the file
 */
export async function buildFounderPhoto(wordsDir: string): Promise<FounderPhoto> {
  const file = await photoFile(wordsDir);
  if (!file) return { photo: null, files: [] };
  return encoded(await readPhoto(await readFile(file), shortPath(file)));
}

/**
 * A photo that's large enough, upright, in sRGB and without metadata.
 *
 * @param path how errors name it
 * @throws an Error that tells the owner what to do about the file
 */
export async function readPhoto(bytes: Buffer, path: string): Promise<Sharp> {
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
  const upright = sharp(bytes, { failOn: 'truncated' })
    .autoOrient()
    .resize(LARGEST, LARGEST, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png({ compressionLevel: 1 });
  return sharp(await reading(path, () => upright.toBuffer()));
}

async function encoded(upright: Sharp): Promise<FounderPhoto> {
  const sized = await Promise.all(
    WIDTHS.map((width) =>
      upright
        .clone()
        // JPEG doesn't support transparency.
        .flatten({ background: '#ffffff' })
        .resize(width, width * RATIO, { fit: 'cover', position: 'attention' })
        .png()
        .toBuffer(),
    ),
  );
  const bodies = await Promise.all(
    FORMATS.flatMap(({ extension, encode }) =>
      sized.map(async (image, at) => ({
        name: `${WIDTHS[at]}.${extension}`,
        body: await encode(sharp(image)).toBuffer(),
      })),
    ),
  );
  // One hash for all of them, since six hashes don't compress.
  const seal = Buffer.concat(bodies.map(({ body }) => body));
  const { path: at } = hashed('assets/founder', seal);
  const [width = 0] = WIDTHS;
  return {
    photo: {
      src: `/${at}/${width}.jpg`,
      width,
      height: width * RATIO,
      sources: FORMATS.map(({ type, extension }) => ({
        type,
        srcSet: WIDTHS.map((size) => `/${at}/${size}.${extension} ${size}w`).join(', '),
      })),
    },
    files: bodies.map(({ name: size, body }) => ({ path: `${at}/${size}`, body })),
  };
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
