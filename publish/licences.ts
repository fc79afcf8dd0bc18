import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmittedFile } from './folder.ts';

/** In `dist/`. The scripts and the later styles name it in a comment. */
export const LICENCES = 'licences.txt';

/** Counted by the bundler, then dropped whole by the minifier: only the words' shapes use it. */
const DROPPED = 'valibot';

const PACKAGE = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;

/** The licences of all packages whose `files` end up in the site. They ask for their notices to travel with it. */
export async function licences(files: readonly string[]): Promise<EmittedFile> {
  const folders = new Map<string, string>();
  for (const file of files) {
    const [folder, name] = PACKAGE.exec(file) ?? [];
    if (folder && name && name !== DROPPED) folders.set(name, folder);
  }
  const packages = new Map<string, string[]>();
  for (const [name, folder] of [...folders].sort()) {
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} ends up in the site, but brings no licence to pass on.`);
    const text = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim();
    packages.set(text, [...(packages.get(text) ?? []), name]);
  }
  const notices = [...packages].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`);
  return {
    path: LICENCES,
    body: ['This site contains the work of others, under their licences.\n', ...notices].join(
      `\n${'='.repeat(80)}\n\n`,
    ),
  };
}
