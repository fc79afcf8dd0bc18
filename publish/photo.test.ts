import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { makePhoto } from './photo.ts';
import { photoFile } from './words.ts';

const BLUE = { r: 29, g: 79, b: 174 };
const ORANGE = { r: 255, g: 122, b: 43 };

/** Blue above orange. */
function photo(width = 640, height = 800): Sharp {
  const half = Math.floor(height / 2);
  const lower = { create: { width, height: height - half, channels: 3 as const, background: ORANGE } };
  return sharp({ create: { width, height, channels: 3, background: BLUE } }).composite([
    { input: lower, top: half, left: 0 },
  ]);
}

/** Which of the two colours a built picture has near its top and bottom edges. */
async function edges(body: Uint8Array | string): Promise<[string, string]> {
  const image = sharp(Buffer.from(body));
  const { width, height } = await image.metadata();
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (y: number) => {
    const [red = 0, , blue = 0] = data.subarray((y * width + width / 2) * info.channels);
    return red > blue ? 'orange' : 'blue';
  };
  return [at(Math.floor(height * 0.1)), at(Math.floor(height * 0.9))];
}

/** What's made of the one founder file in a folder. */
async function made(name: string, bytes: Uint8Array): Promise<Uint8Array | string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), bytes);
  const [{ body } = { body: '' }] = await makePhoto((await photoFile(folder)) ?? '', 'assets/founder.webp');
  return body;
}

/** Taken sideways, with what a camera writes into it. */
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
])(
  '%s becomes the picture that the page shows, upright, without what the camera wrote',
  async (name, encode) => {
    const body = await made(name, await (await encode()).toBuffer());
    const { format, width, height, exif, icc, xmp } = await sharp(Buffer.from(body)).metadata();
    expect({ format, width, height }).toEqual({ format: 'webp', width: 832, height: 1040 });
    expect({ exif, xmp, icc }).toEqual({ exif: undefined, xmp: undefined, icc: undefined });
    expect(await edges(body)).toEqual(['blue', 'orange']);
  },
);

const NO_PHOTO = /founder\.jpg can’t be read as a photo \([^)]+.*save it as a JPEG.*remove the file\.$/;

test.each([
  ['founder.jpg', async () => Buffer.from('This is no photo.'), NO_PHOTO],
  ['founder.jpg', async () => (await photo(1600, 2000).jpeg().toBuffer()).subarray(0, 6000), NO_PHOTO],
  // Apple's format
  ['founder.jpg', async () => Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic and more'), NO_PHOTO],
  ['founder.png', () => photo(300, 900).png().toBuffer(), /only 300 × 900 pixels.*at least 416 × 520/],
  // It would take all the memory.
  [
    'founder.svg',
    async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="16000" height="16000"/>'),
    /16000 × 16000 pixels/,
  ],
])('%s that is no photo, half of one, too small or too large is refused, with what to do', async (...row) => {
  const [name, bytes, said] = row;
  await expect(made(name, await bytes())).rejects.toThrow(said);
});
