import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { Photo } from '../site/ui/assets.ts';
import { type EmittedFile, hashed } from './files.ts';
import { CONTENT, founderFiles } from './founder-file.ts';
import { ROOT } from './vite.ts';

/** 4:5, at the widest place of the layout and at twice its density. */
const WIDTHS = [416, 832];
const RATIO = 5 / 4;

interface FounderPhoto {
  photo: Photo | null;
  files: EmittedFile[];
}

/** Crops, rotates and compresses the owner's photo; null stands for the drawn portrait. */
export async function buildFounderPhoto(): Promise<FounderPhoto> {
  const [name] = await founderFiles();
  if (!name) return { photo: null, files: [] };
  const path = `${CONTENT}/${name}`;
  const source = sharp(join(ROOT, path)).autoOrient();
  const formats = [
    { type: 'image/avif', extension: 'avif', encode: (image: Sharp) => image.avif({ quality: 50 }) },
    { type: 'image/webp', extension: 'webp', encode: (image: Sharp) => image.webp({ quality: 72 }) },
    {
      type: 'image/jpeg',
      extension: 'jpg',
      encode: (image: Sharp) => image.jpeg({ quality: 76, mozjpeg: true }),
    },
  ];
  try {
    const built = await Promise.all(
      formats.map(async ({ type, extension, encode }) => {
        const files = await Promise.all(
          WIDTHS.map(async (width) => {
            const sized = source
              .clone()
              .resize(width, width * RATIO, { fit: 'cover', position: 'attention' });
            return hashed(`assets/founder-${width}.${extension}`, await encode(sized).toBuffer());
          }),
        );
        return { type, files, srcSet: files.map((file, i) => `/${file.path} ${WIDTHS[i]}w`).join(', ') };
      }),
    );
    const fallback = built.at(-1)?.files[0]?.path;
    const width = WIDTHS[0] ?? 0;
    return {
      photo: { src: `/${fallback}`, width, height: width * RATIO, sources: built },
      files: built.flatMap(({ files }) => files),
    };
  } catch (cause) {
    throw new Error(
      `${path} cannot be read as a picture: ${cause instanceof Error ? cause.message : cause}`,
      {
        cause,
      },
    );
  }
}
