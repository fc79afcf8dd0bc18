import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

test('nothing in it needs what the Deno 2.1 of the platform lacks, which the tests’ newer one has', () => {
  const files = followImports(join(import.meta.dirname, 'index.ts'));
  expect(files.size).toBeGreaterThan(20);
  for (const [file, source] of files) {
    const code = source.replace(/^import[^;]*?from 'node:buffer';/m, (found) => found.replace('Buffer', ''));
    if (code === source) expect(source, file).not.toMatch(/(?<!\w)Buffer\.|setImmediate\(/);
    expect(source, file).not.toMatch(
      /randomUUIDv7|RegExp\.escape|\{[^}]*\bparseEnv\b[^}]*\} from 'node:util'/,
    );
  }
});

/** All of our files that are imported for their values, directly or not, with their text. */
function followImports(entry: string, files = new Map<string, string>()) {
  if (files.has(entry)) return files;
  const source = readFileSync(entry, 'utf8');
  files.set(entry, source);
  const statements =
    /^(?:import|export)\s(?!type\b)(?:[^;']*?from )?'(\.[^']+)'|(?<!typeof )\bimport\('(\.[^']+)'\)/gm;
  for (const [, fixed, lazy = ''] of source.matchAll(statements))
    followImports(resolve(dirname(entry), fixed ?? lazy), files);
  return files;
}
