import sharp from 'sharp';
import type { Files } from './folder.ts';

/** Search engines show 48 px; browsers that ask for this file make it smaller. */
const ICO_SIZE = 48;

/** Those that browsers ask for on their own, of the logo as SVG. On phones, they need a background. */
export async function buildIcons(mark: string, background: string): Promise<Files> {
  const draw = (size: number, margin: number) => {
    const inner = size - 2 * margin;
    return sharp(Buffer.from(mark), { density: (72 * inner) / 32 })
      .resize(inner, inner)
      .extend({ top: margin, bottom: margin, left: margin, right: margin, background: '#00000000' })
      .png();
  };
  return {
    'favicon.ico': toIco(await draw(ICO_SIZE, 0).toBuffer()),
    'apple-touch-icon.png': await draw(180, 22).flatten({ background }).toBuffer(),
  };
}

/** An .ico file of one picture: a 6-byte header, a 16-byte entry, then the PNG. */
function toIco(png: Buffer): Buffer {
  const head = Buffer.from([0, 0, 1, 0, 1, 0, ICO_SIZE, ICO_SIZE, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}
