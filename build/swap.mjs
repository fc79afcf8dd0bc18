// @ts-check
// Puts another version of the site in the place of this one, as .update/swap.json says, and keeps this one. If that's cut
// off, the next npm script goes on: until the end, each begins with a copy of this file, on whatever Node there is.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @param {string} root
 * @throws the file system's error, with everything as it was before
 */
export function swap(root) {
  const at = (/** @type {string[]} */ ...path) => join(root, '.update', ...path);
  if (!existsSync(at('swap.json'))) return;
  /** @type {{ from: string, kept: string, put: string[], gone: string[], commit?: string }} */
  const { from, kept, put, gone, commit } = JSON.parse(readFileSync(at('swap.json'), 'utf8'));
  const replace = (/** @type {string} */ manifest) => {
    writeFileSync(at('package.json'), manifest, { flush: true });
    renameSync(at('package.json'), join(root, 'package.json'));
  };
  const dropEmpty = (/** @type {string} */ folder) => {
    try {
      for (let path = folder; path !== '.'; path = dirname(path)) rmdirSync(join(root, path));
    } catch {}
  };
  if (existsSync(at(from, 'package.json'))) {
    const manifest = readFileSync(at(from, 'package.json'), 'utf8');
    replace(
      manifest.replace(/"scripts": \{[^}]*\}/, (all) =>
        all.replaceAll(/: "/g, '$&node .update/swap.mjs && '),
      ),
    );
    // What it did before it was cut off isn't done again.
    try {
      for (const path of gone.filter((path) => !existsSync(at(kept, path)))) {
        move(join(root, path), at(kept, path));
        dropEmpty(dirname(path));
      }
      for (const path of put.filter((path) => existsSync(at(from, path)))) {
        move(join(root, path), at(kept, path));
        move(at(from, path), join(root, path));
      }
    } catch (error) {
      for (const path of put) if (!existsSync(at(from, path))) move(join(root, path), at(from, path));
      for (const path of put) dropEmpty(dirname(path));
      for (const path of [...put, ...gone]) move(at(kept, path), join(root, path));
      replace(readFileSync(at(kept, 'package.json'), 'utf8'));
      rmSync(at('swap.json'));
      throw error;
    }
    if (commit) spawnSync('git', ['reset', '--quiet', commit], { cwd: root });
    replace(manifest);
    rmSync(at(from), { recursive: true });
  }
  rmSync(at('swap.json'));
}

function move(/** @type {string} */ path, /** @type {string} */ to) {
  if (!existsSync(path)) return;
  mkdirSync(dirname(to), { recursive: true });
  renameSync(path, to);
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) swap(join(dirname(self), '..'));
