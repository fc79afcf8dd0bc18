import { linkSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEnvFile } from '../../settings/settings.ts';
import { temporaryFolder } from '../../tests/support/service.ts';
import { Failed } from '../command/command.ts';
import { withValue, writeEnv } from './env-file.ts';

const TEXT = `# Mine\r\nCONTACT_EMAIL=ana@example.org  # the usual one\r\n\r\nexport PORT = '8081'\r\nODD LINE\r\nUNKNOWN="a\r\nb"\r\nPORT=8082\r\n`;

function values(text: string, folder = temporaryFolder()): Record<string, string | undefined> {
  writeFileSync(join(folder, '.env'), text);
  return { ...readEnvFile(folder).values };
}

test('whatever is typed is read back as it was typed, or refused by name, and all other lines stay', () => {
  const folder = temporaryFolder();
  const signs = '\'"`#=$\\@%:/{} \téa1'.split('');
  const pieces = fc.constantFrom(...signs, '\\n', ' #', 'export ');
  const typed = fc.oneof(fc.string({ unit: pieces }), fc.string({ unit: 'grapheme' }));
  const name = fc.constantFrom('CONTACT_EMAIL', 'PORT', 'SITE_URL', 'UNKNOWN');
  fc.assert(
    fc.property(
      fc.constantFrom(TEXT, TEXT.replaceAll('\r', ''), '', 'A=1'),
      name,
      typed,
      (text, key, value) => {
        const before = values(text, folder);
        let after: string;
        try {
          after = withValue(text, key, value);
        } catch (error) {
          expect(error).toBeInstanceOf(Failed);
          expect((error as Error).message).toMatch(new RegExp(`^${key} `));
          return;
        }
        expect(values(after, folder)).toEqual(value || key in before ? { ...before, [key]: value } : before);
        const own = new RegExp(`^(export )?${key} ?=`);
        const others = (of: string) => of.split(/\r?\n/).filter((line) => line && !own.test(line));
        if (key !== 'UNKNOWN') expect(others(after)).toEqual(others(text));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a comment after the value, the line endings and an export stay', () => {
  expect(withValue(TEXT, 'CONTACT_EMAIL', 'b@example.org')).toBe(TEXT.replace('ana@', 'b@'));
  expect(withValue(TEXT, 'PORT', '9')).toBe(TEXT.replace('PORT=8082', 'PORT=9'));
  expect(withValue(TEXT, 'SITE_URL', 'https://a.ca')).toBe(`${TEXT}SITE_URL=https://a.ca\r\n`);
  expect(withValue(TEXT, 'SITE_URL', '')).toBe(TEXT);
});

test('only its owner can read the file, which is created if missing, and replaced in one step, so that a kill leaves it whole; a link to it stays a link', async () => {
  const [folder, beside] = [temporaryFolder(), temporaryFolder()];
  await writeEnv(folder, 'A=1\n');
  const path = join(folder, '.env');
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  linkSync(path, join(folder, 'before'));
  symlinkSync(path, join(beside, '.env'));
  await writeEnv(beside, 'A=2\n');
  expect(lstatSync(join(beside, '.env')).isSymbolicLink()).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('A=2\n');
  expect(readFileSync(join(folder, 'before'), 'utf8')).toBe('A=1\n');
  expect(readdirSync(folder).toSorted()).toEqual(['.env', 'before']);
});
