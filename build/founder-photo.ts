import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { shortPath } from '../settings/settings.ts';
import type { Photo } from '../site/ui/assets.ts';
import { type EmittedFile, hashed } from './emitted-files.ts';
import { founderFiles } from './owners-words.ts';

/** 4:5, at the layout's largest size, and at twice that for high-density screens. */
const WIDTHS = [416, 832];
const RATIO = 5 / 4;

/** A photo of this size still looks fine on most screens; a smaller one doesn't on any. */
const LEAST = { width: 416, height: 520 };

/** Newest first; the last one is for browsers that don't support the others. */
const FORMATS = [
  { type: 'image/avif', extension: 'avif', encode: (image: Sharp) => image.avif({ quality: 50 }) },
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
  const names = await founderFiles(wordsDir);
  const [name] = names;
  if (!name) return { photo: null, files: [] };
  if (names.length > 1) {
    throw new Error(
      `There are several photos in ${shortPath(wordsDir)}: ${names.join(' and ')}. Keep the one to show, and remove the other.`,
    );
  }
  const file = join(wordsDir, name);
  const path = shortPath(file);
  const bytes = await readFile(file);
  const key = createHash('sha256').update(bytes).digest('hex');
  if (latest?.key !== key) latest = { key, made: await encoded(await readPhoto(bytes, path)) };
  return latest.made;
}

/** Encoding takes seconds, and the desk's preview asks again after each change of a word. */
let latest: { key: string; made: FounderPhoto } | undefined;

/**
 * A photo that's large enough, upright, in sRGB and without metadata.
 *
 * @param path how errors name it
 * @throws an Error that tells the owner what to do about the file
 */
export async function readPhoto(bytes: Buffer, path: string): Promise<Sharp> {
  const upright = await pixels(bytes, path);
  const { width: wide, height: high } = await sharp(upright).metadata();
  if (wide < LEAST.width || high < LEAST.height) {
    throw new Error(
      `${path} is only ${wide} × ${high} pixels; the page shows it larger than that. Use a photo of at least ${LEAST.width} × ${LEAST.height} pixels, best as it came from the camera.`,
    );
  }
  return sharp(upright);
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

/** The photo, upright, in sRGB and without metadata. */
async function pixels(bytes: Buffer, path: string): Promise<Buffer> {
  try {
    // Without failOn, half of a truncated file would be grey.
    const image = sharp(bytes, { failOn: 'truncated' }).autoOrient();
    return await image.toColourspace('srgb').png({ compressionLevel: 1 }).toBuffer();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `${path} can’t be read as a photo (${reason.split('\n')[0]}). Open it in a photo program and save it as a JPEG named founder.jpg, or copy it once more from where it came from. To go on without a photo, remove the file.`,
      { cause },
    );
  }
}
