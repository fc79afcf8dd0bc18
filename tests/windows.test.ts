import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);

/** What cmd.exe finds: on the machine, or made by npm for a package's program. */
const FOUND = ['node', 'npm', 'npx', ...readdirSync(join(ROOT, 'node_modules/.bin'))];

/** The commands of a script, each as its words. To cmd.exe, only " quotes, and these signs do what a shell's don't. */
function asCmdReads(script: string): string[][] {
  return script.split('&&').map((command) => {
    expect(command, 'no sign of a shell, nor one that cmd.exe takes for its own').not.toMatch(
      /[$`';|<>&^%!()~*\\]/,
    );
    return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  });
}

test.each(Object.entries(scripts))('cmd.exe can run the script %s', (_, script) => {
  for (const [program = '', ...words] of asCmdReads(script)) {
    expect(FOUND).toContain(program);
    const files = words.filter((word) => /\.(m?[jt]s)$/.test(word));
    for (const file of files) expect(existsSync(join(ROOT, file)), file).toBe(true);
  }
});
