import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings } from '../settings/settings.ts';
import { copyContent } from '../tests/copy-content.ts';
import { findPlaceholders } from './placeholders.ts';

/** Settings and content with nothing left to replace. */
const OWN = { SITE_URL: 'https://www.rivera-ops.ca', CONTACT_EMAIL: 'sam@rivera-ops.ca' };

let project: string;
let folder: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'placeholders-'));
  folder = copyContent(project);
  edit('founder.ts', "name: ''", "name: 'Sam Rivera'");
  edit('footer.ts', /href: '#'/g, "href: 'https://www.rivera-ops.ca/terms'");
  writeFileSync(join(folder, 'founder.HEIC'), '');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function edit(file: string, search: string | RegExp, replacement: string): void {
  const before = readFileSync(join(folder, file), 'utf8');
  const after = before.replace(search, replacement);
  expect(after, 'the edit found its place').not.toBe(before);
  writeFileSync(join(folder, file), after);
}

const found = async (env: Record<string, string> = {}) =>
  (await findPlaceholders(readSettings({ ...OWN, ...env }), folder)).map(
    ({ what, todo }) => `${what} ${todo}`,
  );

test('nothing is left where all is the owner’s', async () => {
  expect(await found()).toEqual([]);
});

test.each([
  [{ SITE_URL: '' }, /^SITE_URL is empty.*Set SITE_URL/],
  [{ SITE_URL: 'http://localhost:8080' }, /localhost:8080, which only this machine can open/],
  [{ SITE_URL: 'http://127.0.0.1:8080' }, /only this machine can open/],
  [{ SITE_URL: 'http://[::1]:8080' }, /only this machine can open/],
  [{ SITE_URL: 'https://www.example.com' }, /belongs to nobody/],
  [{ CONTACT_EMAIL: '' }, /hello@example\.com.*Set CONTACT_EMAIL/],
  [{ CONTACT_EMAIL: 'me@my.example.org' }, /reaches nobody/],
  [{ VITE_SUPABASE_URL: 'https://abc.supabase.co' }, /Set VITE_SUPABASE_ANON_KEY/],
])('a setting that is nobody’s is told: %o', async (env, told) => {
  expect(await found(env)).toEqual([expect.stringMatching(told)]);
});

test.each(['https://notexample.com', 'https://localhost.example.ca', 'https://latest'])(
  'an address that only resembles an example is the owner’s: %s',
  async (siteUrl) => {
    expect(await found({ SITE_URL: siteUrl })).toEqual([]);
  },
);

test('the drawn portrait, the missing name and links to nowhere are told, each with its file', async () => {
  rmSync(join(folder, 'founder.HEIC'));
  edit('founder.ts', "name: 'Sam Rivera'", "name: ''");
  edit('footer.ts', "href: 'https://www.rivera-ops.ca/terms'", "href: '#'");
  expect(await found()).toEqual([
    expect.stringMatching(/portrait is a drawing.*site\/content\/founder\.jpg/),
    expect.stringMatching(/no name.*site\/content\/founder\.ts/),
    expect.stringMatching(/“Terms & Conditions” .*leads nowhere.*site\/content\/footer\.ts/),
  ]);
});

test('where the words cannot be read, the settings are told alone', async () => {
  writeFileSync(join(folder, 'founder.ts'), 'export const founder = {{');
  expect(await found({ SITE_URL: '' })).toHaveLength(1);
  rmSync(folder, { recursive: true });
  expect(await found({ SITE_URL: '' })).toHaveLength(1);
});
