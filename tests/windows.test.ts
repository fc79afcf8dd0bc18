import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
);

test.each(Object.entries(scripts))('cmd.exe reads the script %s as a shell does', (_, script) => {
  // To it, only " quotes, and these signs do what a shell's don't.
  for (const command of script.split('&&')) expect(command).not.toMatch(/[$`';|<>&^%!()~*\\]/);
});
