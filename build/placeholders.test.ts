import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readSettings } from '../settings/settings.ts';
import { temporaryFolder } from '../tests/support/open-test-service.ts';
import { CONTENT } from './owners-words.ts';
import { findPlaceholders } from './placeholders.ts';

/** Settings and words with nothing left to replace. */
const OWN = { SITE_URL: 'https://www.rivera-ops.ca', CONTACT_EMAIL: 'sam@rivera-ops.ca' };
const ADDRESS = "{ href: 'https://www.rivera-ops.ca/terms' }";

let wordsDir: string;
const own = (file: string, text: string) => writeFileSync(join(wordsDir, file), text);
beforeEach(() => {
  wordsDir = temporaryFolder();
  own('founder.ts', "export const founder = { name: 'Sam Rivera' };");
  own('footer.ts', `export const footer = { legal: { terms: ${ADDRESS}, privacy: ${ADDRESS} } };`);
  own('founder.HEIC', '');
});

const found = async (env: Record<string, string> = {}, content: string = CONTENT) =>
  (await findPlaceholders(readSettings({ ...OWN, WORDS_DIR: wordsDir, ...env }), content)).map(
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
  [{ SITE_URL: 'https://www.example.com' }, /is only an example/],
  [{ CONTACT_EMAIL: '' }, /hello@example\.com.*Set CONTACT_EMAIL/],
  [{ CONTACT_EMAIL: 'me@my.example.org' }, /where nobody gets mail/],
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
  for (const file of ['founder.HEIC', 'founder.ts']) rmSync(join(wordsDir, file));
  own('footer.ts', `export const footer = { legal: { privacy: ${ADDRESS} } };`);
  expect(await found()).toEqual([
    expect.stringContaining(`portrait is a drawing. Save your photo as ${join(wordsDir, 'founder.jpg')}`),
    expect.stringMatching(/no name.*founder\.ts\.$/),
    expect.stringMatching(/^“Terms & Conditions” .*leads nowhere.*footer\.ts\.$/),
  ]);
});

test('where there are no words of the owner’s, all of these are told', async () => {
  expect(await found({ WORDS_DIR: join(wordsDir, 'none') })).toHaveLength(3);
});

test('where the words cannot be read or are not installed, the settings are told alone', async () => {
  expect(await found({ SITE_URL: '' }, join(wordsDir, 'none'))).toHaveLength(1);
  own('founder.ts', 'export const founder = {{');
  expect(await found({ SITE_URL: '' })).toHaveLength(1);
});
