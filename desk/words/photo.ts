import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { readPhoto } from '../../publish/photo.ts';
import { founderFiles, photoFile, WordsError } from '../../publish/words.ts';
import { replaceFile } from '../../server/files.ts';

/** Where all photos she ever chose are, in her folder. A backup has only the published one. */
const KEPT = 'earlier-photos';

/** In pixels, more than the editor makes of any photo. A larger one could fill the server's memory. */
const MOST = 10_000_000;

/** The name of the photo that's published, among those that are kept; null while the portrait is drawn. */
export async function photoNow(wordsDir: string): Promise<string | null> {
  const file = await photoFile(wordsDir);
  return file ? keep(wordsDir, await readFile(file), extname(file)) : null;
}

/** Keeps a JPEG of hers, as the editor has made it, which nothing shows yet. Returns its name. @throws WordsError that says what's wrong with it */
export async function keepPhoto(wordsDir: string, bytes: Uint8Array): Promise<string> {
  // Re-encoded, so that the place and time of the picture, which the file may hold, are gone.
  const jpeg = await readPhoto(Buffer.from(bytes), 'The photo', (photo) => photo.jpeg({ quality: 92 }), MOST);
  return keep(wordsDir, jpeg, '.jpg');
}

export const readKept = (wordsDir: string, name: string): Promise<Buffer> =>
  readFile(join(wordsDir, KEPT, basename(name))).catch(() => {
    throw new WordsError(
      'That photo isn’t here any more: a backup keeps only the one that’s published. Choose it again.',
    );
  });

/** What a photo of this name is called once it's published. */
export const founderFile = (name: string) => `founder${extname(name)}`;

/** Puts a photo that's kept, or null for the drawing, in the place of the one that's there. @throws WordsError if it's gone */
export async function putPhoto(wordsDir: string, name: string | null): Promise<void> {
  const file = name && founderFile(name);
  const photo = name && (await readKept(wordsDir, name));
  // First, since a restart in between would find two, which is one too many.
  for (const old of await founderFiles(wordsDir)) if (old !== file) await rm(join(wordsDir, old));
  if (file && photo) await replaceFile(join(wordsDir, file), photo);
}

async function keep(wordsDir: string, bytes: Uint8Array, ending: string): Promise<string> {
  const name = `${hash('sha256', bytes).slice(0, 16)}${ending}`;
  const path = join(wordsDir, KEPT, name);
  if (!existsSync(path)) await replaceFile(path, bytes);
  return name;
}
