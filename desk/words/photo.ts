import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { founderFiles } from '../../publish/words.ts';
import { replaceFile } from '../../settings/replace-file.ts';

/** Where photos stay that were replaced, so that this can be undone. */
const EARLIER = 'earlier-photos';

/** The name that the photo of now has, or would have, among the earlier ones; undefined while the portrait is drawn. */
export async function photoNow(wordsDir: string): Promise<string | undefined> {
  const [name] = await founderFiles(wordsDir);
  return name && nameOf(await readFile(join(wordsDir, name)), name);
}

/**
 * Keeps a photo that she chose; nothing shows it yet.
 *
 * @param bytes a JPEG that the browser made
 * @throws an Error that says what's wrong with it
 */
export async function keepPhoto(wordsDir: string, bytes: Uint8Array): Promise<string> {
  // Only now, since it takes memory.
  const { readPhoto } = await import('../../publish/photo.ts');
  // Made anew, so that the place and time of the picture, which the file may hold, are gone.
  const jpeg = await (await readPhoto(Buffer.from(bytes), 'The photo')).jpeg({ quality: 92 }).toBuffer();
  const name = nameOf(jpeg, 'photo.jpg');
  await putEarlier(wordsDir, name, jpeg);
  return name;
}

/** Whether an earlier photo is still there: a backup leaves them out. */
export const isKept = (wordsDir: string, name: string) => existsSync(join(wordsDir, EARLIER, name));

/** Shows one of the earlier photos, or the drawing; keeps the one that it replaces. */
export async function putPhoto(wordsDir: string, name: string | undefined): Promise<void> {
  const now = await founderFiles(wordsDir);
  for (const file of now) {
    const bytes = await readFile(join(wordsDir, file));
    await putEarlier(wordsDir, nameOf(bytes, file), bytes);
  }
  const file = name && `founder.${name.split('.').at(-1)}`;
  if (name && file) await replaceFile(join(wordsDir, file), await readFile(join(wordsDir, EARLIER, name)));
  for (const old of now) if (old !== file) await rm(join(wordsDir, old));
}

async function putEarlier(wordsDir: string, name: string, bytes: Uint8Array): Promise<void> {
  await replaceFile(join(wordsDir, EARLIER, name), bytes);
}

function nameOf(bytes: Uint8Array, file: string): string {
  return `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.${file.split('.').at(-1)}`;
}
