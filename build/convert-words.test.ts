import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { checkWords } from './check-words.ts';
import { convertOldWords } from './convert-words.ts';
import { CONTENT, readOwn, readWords, writeOwn } from './owners-words.ts';
import { ROOT } from './vite.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const write = (file: string, text: string | Buffer) => writeFileSync(join(folder, file), text);
const ours = (file: string) => readFileSync(join(CONTENT, file), 'utf8');

/** What words.json holds once the old files are converted. */
async function converted(): Promise<object> {
  await convertOldWords(folder);
  await checkWords(folder);
  return (await readOwn(folder)).own;
}

/** All files of the owner's, and what's in them. */
const everything = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'latin1')]);

const WITHIN = '`within $'.concat('{REPLY_HOURS} hours`');

/** As business.ts was while the hours stood in the contract. */
const BUSINESS = (hours: string) => `import { REPLY_HOURS } from '../../contract/promise.ts';
import { currency, group, matching, type Of, plainWords } from '../ui/shape.ts';

/** The name of the business: the header, the footer, the browser's tab, shared links. */
export const brand: Of<typeof shape.brand> = {
  name: 'Rivera Operations',
};

export const replyTime: Of<typeof shape.replyTime> = ${hours};

/* For the build: what it asks of the words above. Nothing below shows on the page. */
export const shape = {
  brand: group({ name: plainWords }),
  replyTime: plainWords,
};
`;

/** As a package was while its sheet and its delay were written beside it. */
const packagesOfOld = () =>
  ours('packages.ts')
    .replace(/(?<=\n {4}\{\n)(?= {6}price:)/g, "      stage: 'Sheet',\n      delay: 100,\n")
    .replace("sheet: 'Sheet {stage} of {of}'", "sheet: 'Sheet {stage} of {of}',\n  gone: 'a'");

test('copies of all of ours leave nothing that’s the owner’s', async () => {
  for (const file of readdirSync(CONTENT)) cpSync(join(CONTENT, file), join(folder, file));
  cpSync(join(ROOT, 'contract/refusal-sentences.ts'), join(folder, 'refusals.ts'));
  expect(await converted()).toEqual({});
});

test('of a whole copy from before, what differs from ours is kept, without what the page no longer has', async () => {
  write('business.ts', BUSINESS(WITHIN));
  write('packages.ts', packagesOfOld());
  expect(await converted()).toEqual({ brand: { name: 'Rivera Operations' } });
});

test('a list that the owner changed comes whole, each entry without what the page no longer has', async () => {
  write('packages.ts', packagesOfOld().replace('price: 1499', 'price: 1799'));
  const { packages } = await readWords('packages.ts', join(folder, 'none'));
  const { items } = packages as { items: object[] };
  const [first, ...others] = items;
  expect(await converted()).toEqual({ packages: { items: [{ ...first, price: 1799 }, ...others] } });
});

test.each([
  [WITHIN, {}],
  ["'by the next working day'", { replyTime: 'by the next working day' }],
])('a reply time of %s follows the hours as long as the owner hasn’t changed it', async (time, own) => {
  write('business.ts', BUSINESS(time));
  expect(await converted()).toEqual({ brand: { name: 'Rivera Operations' }, ...own });
});

test('files with only what the owner changed are converted, whatever their line ends, marks and comments', async () => {
  write('founder.ts', "// Mine\nexport const founder = {\n  name: 'Sam Rivera', // me\n};\n");
  write('hero.ts', "\uFEFFexport const hero = {\r\n  kicker: 'What’s = this: a test',\r\n};\r\n");
  write('refusals.ts', "export const refusals: Refusals = { ...english, tooLarge: 'Too long.' };\n");
  expect(await converted()).toEqual({
    founder: { name: 'Sam Rivera' },
    hero: { kicker: 'What’s = this: a test' },
    refusals: { tooLarge: 'Too long.' },
  });
});

test('what words.json says already wins', async () => {
  await writeOwn(folder, { hero: { headline: 'Newer' }, founder: { bio: ['One.'] } });
  write('hero.ts', "export const hero = { headline: 'Older', lead: 'Kept.' };");
  write('founder.ts', "export const founder = { bio: ['Two.', 'Three.'] };");
  expect(await converted()).toEqual({
    hero: { headline: 'Newer', lead: 'Kept.' },
    founder: { bio: ['One.'] },
  });
});

test('the old files are kept, also those of another time, and it’s told once where', async () => {
  const texts = ['Older', 'Newer'].map((lead) => `export const hero = { lead: '${lead}' };`);
  for (const text of texts) {
    write('hero.ts', text);
    const [told, ...others] = await convertOldWords(folder);
    expect(told).toContain(`${folder}/words.json`);
    expect(told).toContain(`${folder}/before-words-json`);
    expect(others).toEqual([]);
  }
  expect(await convertOldWords(folder)).toEqual([]);
  expect(readdirSync(folder).sort()).toEqual(['before-words-json', 'words.json']);
  const kept = readdirSync(join(folder, 'before-words-json')).sort();
  expect(kept.map((name) => readFileSync(join(folder, 'before-words-json', name), 'utf8'))).toEqual(texts);
});

test('a conversion that was broken off goes on where it stopped', async () => {
  write('hero.ts', "export const hero = { lead: 'Mine' };");
  write('founder.ts', "export const founder = { name: 'Sam' };");
  await convertOldWords(folder);
  const { own } = await readOwn(folder);
  cpSync(join(folder, 'before-words-json/hero.ts'), join(folder, 'hero.ts'));
  await convertOldWords(folder);
  expect((await readOwn(folder)).own).toEqual(own);
  expect(existsSync(join(folder, 'hero.ts'))).toBe(false);
});

test.each([
  ['a missing comma', "export const hero = {\n  kicker: 'a'\n  lead: 'b',\n};", 'near line 3, '],
  ['curly quotes', 'export const hero = {\n  kicker: ‘a’,\n};', 'near line 2, '],
  ['no quotes', 'export const hero = {\n  kicker: Fix,\n};', 'near line 2, '],
  ['Latin-1', Buffer.from("export const hero = {\n  kicker: 'Opérations',\n};", 'latin1'), 'line 2, '],
])('an old file that can’t be read is named, and nothing is changed: %s', async (_, text, line) => {
  write('founder.ts', "export const founder = { name: 'Sam' };");
  write('hero.ts', text);
  const before = everything();
  await expect(convertOldWords(folder)).rejects.toThrow(`${folder}/hero.ts, ${line}`);
  expect(everything()).toEqual(before);
});

test('a broken words.json is named, and the old files stay', async () => {
  write('words.json', '{');
  write('hero.ts', "export const hero = { lead: 'Mine' };");
  const before = everything();
  await expect(convertOldWords(folder)).rejects.toThrow(`${folder}/words.json, line 1, can’t be read`);
  expect(everything()).toEqual(before);
});

test('a folder without old files, or none at all, stays as it is', async () => {
  mkdirSync(join(folder, 'mine'));
  writeFileSync(join(folder, 'mine/words.json'), '{}');
  for (const name of ['mine', 'none']) expect(await convertOldWords(join(folder, name))).toEqual([]);
  expect(readdirSync(folder)).toEqual(['mine']);
});
