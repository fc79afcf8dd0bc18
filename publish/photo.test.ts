import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service.ts';
import { makePhoto } from './photo.ts';
import { photoFile } from './words.ts';

/** Blue above orange. */
function photo(width = 640, height = 800): Sharp {
  const filled = (background: string, high: number) =>
    ({ create: { width, height: high, channels: 3, background } }) as const;
  const lower = { input: filled('#ff7a2b', Math.floor(height / 2)), gravity: 'south' };
  return sharp(filled('#1d4fae', height)).composite([lower]);
}

async function made(name: string, bytes: Uint8Array): Promise<Buffer> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), bytes);
  const { photo = '' } = await makePhoto((await photoFile(folder)) ?? '', 'photo');
  return Buffer.from(photo);
}

const sideways = async () =>
  sharp(await photo().png().toBuffer())
    .rotate(-90)
    .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitude: '45/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg();

test.each([
  ['Founder.JPEG', () => photo(3000, 4000).jpeg()],
  // Named as the README says, but not a JPEG.
  ['founder.jpg', () => photo().png()],
  ['founder.jpg', () => photo().greyscale(false).toColourspace('cmyk').jpeg()],
  ['founder.jpg', sideways],
])('%s becomes the page’s picture, upright, without what the camera wrote', async (name, encode) => {
  const body = await made(name, await (await encode()).toBuffer());
  const { format, width, height, exif, icc, xmp } = await sharp(body).metadata();
  expect({ format, width, height }).toEqual({ format: 'webp', width: 832, height: 1040 });
  expect({ exif, xmp, icc }).toEqual({ exif: undefined, xmp: undefined, icc: undefined });
  const halves = await sharp(body).resize(1, 2, { fit: 'fill' }).raw().toBuffer();
  const [redAbove = 0, , , redBelow = 0] = halves;
  expect(redAbove).toBeLessThan(redBelow);
});

const HUGE = '<svg xmlns="http://www.w3.org/2000/svg" width="16000" height="16000"/>';
const NO_PHOTO = /founder\.jpg can’t be read as a photo \([^)]+.*save it as a JPEG.*remove the file\.$/;

test.each([
  ['founder.jpg', async () => (await photo(1600, 2000).jpeg().toBuffer()).subarray(0, 6000), NO_PHOTO],
  // Apple's HEIC
  ['founder.jpg', async () => Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic and more'), NO_PHOTO],
  ['founder.png', () => photo(300, 900).png().toBuffer(), /only 300 × 900 pixels.*at least 416 × 520/],
  // It would take all the memory.
  ['founder.svg', async () => Buffer.from(HUGE), /16000 × 16000 pixels/],
])('%s that isn’t a photo, is half of one, too small or too large is refused', async (name, bytes, said) => {
  await expect(made(name, await bytes())).rejects.toThrow(said);
});
