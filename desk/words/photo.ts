import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { founderFiles } from '../../publish/words.ts';
import { replaceFile } from '../../settings/replace-file.ts';

/** Among the words: the name of her photo. */
export const PHOTO = 'photo';

/** Where photos are that aren't published yet, or no longer. */
const EARLIER = 'earlier-photos';

/** The name that the photo of now has, or would have, among the others; undefined while the portrait is drawn. */
export async function photoNow(wordsDir: string): Promise<string | undefined> {
  const [name] = await founderFiles(wordsDir);
  return name && nameOf(await readFile(join(wordsDir, name)), name);
}

/**
 * Keeps a photo that she chose; nothing shows it yet. Returns its name.
 *
 * @param bytes a JPEG that the browser made
 * @throws an Error that says what's wrong with it
 */
export async function keepPhoto(wordsDir: string, bytes: Uint8Array): Promise<string> {
  // Only now, since it takes memory.
  const { readPhoto } = await import('../../publish/photo.ts');
  // Made anew, so that the place and time of the picture, which the file may hold, are gone.
  const jpeg = await (await readPhoto(Buffer.from(bytes), 'The photo')).jpeg({ quality: 92 }).toBuffer();
  return putEarlier(wordsDir, jpeg, 'photo.jpg');
}

/** @throws an Error if it isn't there: a backup keeps only the one that's published */
export async function readKept(wordsDir: string, name: string): Promise<Buffer> {
  const [file] = await founderFiles(wordsDir);
  if (file && (await photoNow(wordsDir)) === name) return readFile(join(wordsDir, file));
  return readFile(join(wordsDir, EARLIER, basename(name))).catch(() => {
    throw new Error(
      'That photo isn’t here any more: a backup keeps only the one that’s published. Choose it anew.',
    );
  });
}

/**
 * Puts another photo, or null for the drawing, in the place of the one that's there, which is kept.
 *
 * @throws an Error if it isn't there
 */
export async function putPhoto(wordsDir: string, name: string | null): Promise<void> {
  const bytes = name && (await readKept(wordsDir, name));
  const now = await founderFiles(wordsDir);
  for (const file of now) await putEarlier(wordsDir, await readFile(join(wordsDir, file)), file);
  const file = name && `founder.${name.split('.').at(-1)}`;
  if (file && bytes) await replaceFile(join(wordsDir, file), bytes);
  for (const old of now) if (old !== file) await rm(join(wordsDir, old));
}

async function putEarlier(wordsDir: string, bytes: Uint8Array, file: string): Promise<string> {
  const name = nameOf(bytes, file);
  await replaceFile(join(wordsDir, EARLIER, name), bytes);
  return name;
}

function nameOf(bytes: Uint8Array, file: string): string {
  return `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.${file.split('.').at(-1)}`;
}
