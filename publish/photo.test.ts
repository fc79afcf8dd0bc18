import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makePhoto } from './photo.ts';
import { photoFile } from './words.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'founder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

const put = (name: string, bytes: Uint8Array) => writeFileSync(join(folder, name), bytes);

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

const made = async () => makePhoto((await photoFile(folder)) ?? '', 'assets/founder.webp');

async function expectWhole(): Promise<void> {
  const [{ body } = { body: '' }] = await made();
  const { format, width, height, exif, icc, xmp } = await sharp(Buffer.from(body)).metadata();
  expect({ format, width, height }).toEqual({ format: 'webp', width: 832, height: 1040 });
  expect({ exif, xmp, icc }).toEqual({ exif: undefined, xmp: undefined, icc: undefined });
  expect(await edges(body)).toEqual(['blue', 'orange']);
}

test.each([
  ['Founder.JPEG', () => photo(3000, 4000).jpeg()],
  // Named as the README says, but not a JPEG.
  ['founder.jpg', () => photo().png()],
  ['founder.jpg', () => photo().greyscale(false).toColourspace('cmyk').jpeg()],
])('%s becomes the picture that the page shows', async (name, encode) => {
  put(name, await encode().toBuffer());
  await expectWhole();
});

test('a photo taken sideways is turned, and what the camera wrote into it is left out', async () => {
  const sideways = await sharp(await photo().png().toBuffer())
    .rotate(-90)
    .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitude: '45/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  expect((await sharp(sideways).metadata()).orientation).toBe(6);
  expect((await sharp(sideways).metadata()).exif).toBeDefined();
  put('founder.jpg', sideways);
  await expectWhole();
});

test.each([
  ['words', async () => Buffer.from('This is no photo.')],
  ['half a photo', async () => (await photo(1600, 2000).jpeg().toBuffer()).subarray(0, 6000)],
  ['a photo in Apple’s format', async () => Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic and more')],
])('a file with %s in it is refused, with what to do', async (_, bytes) => {
  put('founder.jpg', await bytes());
  await expect(made()).rejects.toThrow(
    /founder\.jpg can’t be read as a photo \([^)]+.*save it as a JPEG.*remove the file\.$/,
  );
});

test('a photo too small to be looked at is refused, with the size that is needed', async () => {
  put('founder.png', await photo(300, 900).png().toBuffer());
  await expect(made()).rejects.toThrow(/founder\.png is only 300 × 900 pixels.*at least 416 × 520/);
});

test('of two photos neither is guessed to be the right one', async () => {
  put('founder.png', await photo().png().toBuffer());
  put('founder.jpg', await photo().jpeg().toBuffer());
  await expect(made()).rejects.toThrow(/founder\.jpg and founder\.png.*remove the other/);
});

test('a picture that would take all the memory is refused by its size, unread', async () => {
  put('founder.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="16000" height="16000"/>'));
  await expect(made()).rejects.toThrow(/16000 × 16000 pixels/);
});
