import type { SharpOptions } from 'sharp';

/** What phones of Apple save; the rights to it keep it out of most other software, sharp included. */
export function isHeic(bytes: Buffer): boolean {
  return (
    /^ftyp(heic|heix|hevc|hevx|heim|heis|mif1|msf1)/.test(bytes.toString('latin1', 4, 12)) &&
    !bytes.toString('latin1', 0, 64).includes('avif')
  );
}

/**
 * The first picture of a HEIC file, turned upright, as sharp takes raw pixels.
 *
 * @throws an Error if it holds none that can be decoded
 */
export async function pixelsOfHeic(bytes: Buffer): Promise<[Buffer, SharpOptions]> {
  // Loaded for this alone: it is a megabyte of WebAssembly.
  const { default: open } = await import('libheif-js/libheif-wasm/libheif-bundle.js');
  // What it says of a broken file by itself would only confuse.
  const libheif = open({ print() {}, printErr() {} });
  const [image] = new libheif.HeifDecoder().decode(bytes);
  if (!image) throw new Error('no picture in it can be decoded');
  const width = image.get_width();
  const height = image.get_height();
  const data = new Uint8ClampedArray(width * height * 4);
  await new Promise<void>((resolve, reject) =>
    image.display({ data, width, height }, (shown) =>
      shown ? resolve() : reject(new Error('its picture cannot be decoded')),
    ),
  );
  return [Buffer.from(data.buffer), { raw: { width, height, channels: 4 } }];
}
