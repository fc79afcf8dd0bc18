import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const { files, packages } = followImports(join(import.meta.dirname, 'index.ts'));

test('its packages are those that the function imports, in the versions of the server', () => {
  const { imports } = JSON.parse(readFileSync(join(import.meta.dirname, 'deno.json'), 'utf8')) as {
    imports: Record<string, string>;
  };
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const named = new Set(Object.keys(imports).map((name) => name.replace(/\/$/, '')));
  expect([...packages].toSorted()).toEqual([...named].toSorted());
  for (const [name, target] of Object.entries(imports)) {
    const plain = name.replace(/\/$/, '');
    const version = dependencies[plain];
    expect(target).toBe(name === plain ? `npm:${plain}@${version}` : `npm:/${plain}@${version}/`);
  }
});

test('nothing in it needs what the Deno 2.1 of the platform lacks, which the tests’ newer one has', () => {
  expect(files.size).toBeGreaterThan(20);
  for (const [file, source] of files) {
    const code = source.replace(/^import[^;]*?from 'node:buffer';/m, (found) => found.replace('Buffer', ''));
    if (code === source) expect(source, file).not.toMatch(/(?<!\w)Buffer\.|setImmediate\(/);
    expect(source, file).not.toMatch(
      /randomUUIDv7|RegExp\.escape|\{[^}]*\bparseEnv\b[^}]*\} from 'node:util'/,
    );
  }
});

/** All files imported for their values, directly or not, with their text, and the packages those import. */
function followImports(entry: string, files = new Map<string, string>(), packages = new Set<string>()) {
  if (files.has(entry)) return { files, packages };
  const source = readFileSync(entry, 'utf8');
  files.set(entry, source);
  const statements =
    /^(?:import|export)\s(?!type\b)(?:[^;']*?from )?'([^']+)'|(?<!typeof )\bimport\('([^']+)'\)/gm;
  for (const [, fixed, lazy] of source.matchAll(statements)) {
    const target = fixed ?? lazy ?? '';
    if (target.startsWith('.')) followImports(resolve(dirname(entry), target), files, packages);
    else if (!target.startsWith('node:')) packages.add(/^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? '');
  }
  return { files, packages };
}
