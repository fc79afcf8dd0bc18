import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readSettings } from '../../settings/settings.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import type { CheckContext } from './check.ts';
import { placeholders } from './placeholders.ts';

/** Settings and words with nothing left to replace. */
const OWN = { SITE_URL: 'https://www.rivera-ops.ca', CONTACT_EMAIL: 'sam@rivera-ops.ca' };
const ADDRESS = { href: 'https://www.rivera-ops.ca/terms' };
const WORDS = {
  founder: { name: 'Sam Rivera' },
  packages: { effortMeaning: 'These are the hours I work with you.' },
  footer: { legal: { terms: ADDRESS, privacy: ADDRESS } },
};

let wordsDir: string;
const own = (words: object) => writeFileSync(join(wordsDir, 'words.json'), JSON.stringify(words));
beforeEach(() => {
  wordsDir = temporaryFolder();
  own(WORDS);
  writeFileSync(join(wordsDir, 'founder.HEIC'), '');
});

const found = async (env: Record<string, string> = {}) => {
  const settings = readSettings({ ...OWN, WORDS_DIR: wordsDir, ...env });
  const findings = await placeholders.run({ settings } as CheckContext, AbortSignal.timeout(60_000));
  return findings.filter(({ verdict }) => verdict !== 'ok').map(({ found, todo }) => `${found} ${todo}`);
};

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

test('the drawn portrait, the missing name, hours that are nobody’s and links to nowhere are told, each with what to do', async () => {
  rmSync(join(wordsDir, 'founder.HEIC'));
  own({ footer: { legal: { privacy: ADDRESS } } });
  expect(await found()).toEqual([
    expect.stringMatching(/portrait is a drawing.*founder\.jpg/),
    expect.stringMatching(/no name.*npm run desk/),
    expect.stringMatching(/whose hours.*npm run desk/),
    expect.stringMatching(/^“Terms & Conditions” .*leads nowhere.*turn it on\.$/),
  ]);
});

test('a legal page that is on, as part of the site, leads somewhere', async () => {
  own({ ...WORDS, footer: {}, privacy: { on: true } });
  expect(await found()).toEqual([expect.stringMatching(/^“Terms & Conditions” .*leads nowhere/)]);
  own({ ...WORDS, footer: {}, privacy: { on: true }, terms: { on: true } });
  expect(await found()).toEqual([]);
});

test('where the words cannot be read, the settings are told alone', async () => {
  writeFileSync(join(wordsDir, 'words.json'), '{{');
  expect(await found({ SITE_URL: '' })).toHaveLength(1);
});
