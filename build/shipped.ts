import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../settings/replace-file.ts';

/** The hashes of the files that came with a version, by their paths. */
export type Shipped = { version: string; files: Record<string, string> };

/** Where they're noted. */
export const SHIPPED = '.update/shipped.json';

/** What .gitignore names: it's hers, or made here. */
export const NOT_OURS =
  /(^|\/)(node_modules|dist|data|shots|test-results|reports|\.env(?!\.example$)[^/]*|[^/]*\.log)$|^(mine[^/]*|\.git|\.update|\.bench-[^/]*|\.stryker-tmp|supabase\/\.temp|[^/]*\.(zip|db))$/;

/** All files in a folder of the project that may be ours. */
export function filesIn(root: string, within = ''): string[] {
  return readdirSync(join(root, within), { withFileTypes: true }).flatMap((entry) => {
    const path = within + entry.name;
    if (NOT_OURS.test(path)) return [];
    return entry.isDirectory() ? filesIn(root, `${path}/`) : entry.isFile() ? [path] : [];
  });
}

/** As git has it; empty if there's no such file. */
export function hashOf(path: string): string {
  if (!existsSync(path)) return '';
  const content = readFileSync(path);
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

export function readJson<T>(path: string): Partial<T> {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : {};
}

/** After the first build, so that an update knows what she has changed since. Where there's git, it knows. */
export async function noteShipped(root: string): Promise<void> {
  const { version = '' } = readJson<Shipped>(join(root, 'package.json'));
  if (existsSync(join(root, '.git')) || readJson<Shipped>(join(root, SHIPPED)).version === version) return;
  const files = Object.fromEntries(filesIn(root).map((path) => [path, hashOf(join(root, path))]));
  await replaceFile(join(root, SHIPPED), JSON.stringify({ version, files } satisfies Shipped));
}
