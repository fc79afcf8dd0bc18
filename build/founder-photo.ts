import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { Photo } from '../site/ui/assets.ts';
import { type EmittedFile, hashed } from './files.ts';
import { CONTENT, founderFiles } from './founder-file.ts';
import { isHeic, pixelsOfHeic } from './heic.ts';
import { ROOT } from './vite.ts';

/** 4:5, at the widest place of the layout and at twice its density. */
const WIDTHS = [416, 832];
const RATIO = 5 / 4;

/** A photo of this width still looks right on most screens; one below looks wrong on all. */
const LEAST = { width: 416, height: 520 };

/** From the most to the least modern; the last one is for browsers that take no other. */
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
 * Crops, rotates and compresses the owner's photo, whatever its format, and leaves out what the camera wrote
 * into it, such as the place. Null stands for the drawn portrait.
 *
 * @param basePath what stands before the address of each file
 * @param folder the page's words and photo
 * @throws an Error that tells the owner what to do about the file
 */
export async function buildFounderPhoto(
  basePath: string,
  folder: string = join(ROOT, CONTENT),
): Promise<FounderPhoto> {
  const names = await founderFiles(folder);
  const [name] = names;
  if (!name) return { photo: null, files: [] };
  if (names.length > 1) {
    throw new Error(
      `There are several photos in ${CONTENT}: ${names.join(' and ')}. Keep the one to show, and remove the other.`,
    );
  }
  const path = `${CONTENT}/${name}`;
  const upright = await pixels(await readFile(join(folder, name)), path);
  const { width: wide, height: high } = await sharp(upright).metadata();
  if (wide < LEAST.width || high < LEAST.height) {
    throw new Error(
      `${path} is only ${wide} × ${high} pixels; the page shows it larger than that. Use a photo of at least ${LEAST.width} × ${LEAST.height} pixels, best as it came from the camera.`,
    );
  }
  const sized = await Promise.all(
    WIDTHS.map((width) =>
      sharp(upright)
        // What is transparent lies on paper.
        .flatten({ background: '#ffffff' })
        .resize(width, width * RATIO, { fit: 'cover', position: 'attention' })
        .png()
        .toBuffer(),
    ),
  );
  const encoded = await Promise.all(
    FORMATS.flatMap(({ extension, encode }) =>
      sized.map(async (image, at) => ({
        name: `${WIDTHS[at]}.${extension}`,
        body: await encode(sharp(image)).toBuffer(),
      })),
    ),
  );
  // One hash for all of them: six would weigh more in the page than its headline does.
  const seal = Buffer.concat(encoded.map(({ body }) => body));
  const { path: at } = hashed('assets/founder', seal);
  const [width = 0] = WIDTHS;
  return {
    photo: {
      src: `${basePath}/${at}/${width}.jpg`,
      width,
      height: width * RATIO,
      sources: FORMATS.map(({ type, extension }) => ({
        type,
        srcSet: WIDTHS.map((size) => `${basePath}/${at}/${size}.${extension} ${size}w`).join(', '),
      })),
    },
    files: encoded.map(({ name: file, body }) => ({ path: `${at}/${file}`, body })),
  };
}

/** The photo as its viewer sees it, upright and in the web's colours, without anything that is not picture. */
async function pixels(bytes: Buffer, path: string): Promise<Buffer> {
  try {
    const image = isHeic(bytes)
      ? sharp(...(await pixelsOfHeic(bytes)))
      : // A file that was cut short is refused, not shown with a grey half.
        sharp(bytes, { failOn: 'truncated' }).autoOrient();
    return await image.toColourspace('srgb').png({ compressionLevel: 1 }).toBuffer();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `${path} cannot be read as a photo (${reason.split('\n')[0]}). Open it in a photo program and save it as a JPEG named founder.jpg, or copy it once more from where it came from. To go on without a photo, remove the file.`,
      { cause },
    );
  }
}
