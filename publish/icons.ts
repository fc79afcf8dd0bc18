import sharp from 'sharp';
import type { Icon } from '../site/machine-readable/files.ts';
import { type EmittedFile, hashed } from './folder.ts';

/** Search engines show 48 px; browsers that ask for this file make it smaller. */
const ICO_SIZE = 48;

/** Those of the web app manifest. A maskable one may be cropped to a circle 80% of its width; the margin keeps the mark's corners inside. */
const SCREENS = [
  { size: 192, maskable: false, margin: 0 },
  { size: 512, maskable: false, margin: 0 },
  { size: 512, maskable: true, margin: 96 },
];

/**
 * The icons that browsers request on their own, and those for home screens.
 *
 * @param mark the logo, as SVG
 * @param background for those that may have none of their own
 */
export async function buildIcons(mark: string, background: string) {
  const draw = (size: number, margin = 0) => {
    const inner = size - 2 * margin;
    const drawn = sharp(Buffer.from(mark), { density: (72 * inner) / 32 })
      .resize(inner, inner)
      .extend({ top: margin, bottom: margin, left: margin, right: margin, background: '#00000000' });
    return (margin > 0 ? drawn.flatten({ background }) : drawn).png().toBuffer();
  };
  const screens = await Promise.all(
    SCREENS.map(async ({ size, maskable, margin }) => {
      const file = hashed(`assets/icon-${size}${maskable ? '-maskable' : ''}.png`, await draw(size, margin));
      return { file, icon: { src: file.path, size, maskable } satisfies Icon };
    }),
  );
  return {
    icons: screens.map(({ icon }) => icon),
    files: [
      ...screens.map(({ file }) => file),
      { path: 'favicon.ico', body: toIco(await draw(ICO_SIZE)) },
      { path: 'apple-touch-icon.png', body: await draw(180, 22) },
    ] satisfies EmittedFile[],
  };
}

/** An .ico file of one picture: a 6-byte header, a 16-byte entry, then the PNG. */
function toIco(png: Buffer): Buffer {
  const head = Buffer.from([0, 0, 1, 0, 1, 0, ICO_SIZE, ICO_SIZE, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}
