import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../settings/replace-file.ts';

/** Where the files that came with a version are noted, with their hashes. */
export const SHIPPED = '.update/shipped.json';

/** What .gitignore names: it's hers, or made here. */
export const NOT_OURS =
  /(^|\/)(node_modules|dist|data|backups|shots|test-results|reports|\.env(?!\.example$)[^/]*|[^/]*\.log)$|^(mine[^/]*|\.git|\.update|\.bench-[^/]*|\.stryker-tmp|supabase\/\.temp|[^/]*\.(zip|db))$/;

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

type Noted = { name: string; version: string; files: Record<string, string> };

/** What a package.json says, or a note of what was shipped. */
export function readJson(path: string): Noted {
  const empty = { name: '', version: '', files: {} };
  return existsSync(path) ? { ...empty, ...JSON.parse(readFileSync(path, 'utf8')) } : empty;
}

/** Called after each build: later, an update knows what she has changed since the first of this version. */
export async function noteShipped(root: string): Promise<void> {
  const { version } = readJson(join(root, 'package.json'));
  if (readJson(join(root, SHIPPED)).version === version) return;
  const git = existsSync(join(root, '.git')) && spawnSync('git', ['ls-tree', '-rz', 'HEAD'], { cwd: root });
  const files = git
    ? String(git.stdout)
        .split('\0')
        .map((line) => [line.split('\t')[1], line.split(/\s/)[2]])
    : filesIn(root).map((path) => [path, hashOf(join(root, path))]);
  await replaceFile(join(root, SHIPPED), JSON.stringify({ version, files: Object.fromEntries(files) }));
}
