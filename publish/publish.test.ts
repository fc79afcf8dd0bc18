import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readSettings } from '../settings/settings.ts';
import { partLink } from '../site/ui/shape.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { openProgram } from './program.ts';
import { ensureProgram, publish, shownOf } from './publish.ts';
import { laidOver, readParts, type Words } from './words.ts';

beforeAll(() => ensureProgram());

test('only what is made of something else is made anew, and the page is swapped whole', async () => {
  const [wordsDir, folder] = [temporaryFolder(), join(temporaryFolder(), 'dist')];
  const put = async (words: Words) => {
    writeFileSync(join(wordsDir, 'words.json'), JSON.stringify(words));
    await publish(readSettings({ WORDS_DIR: wordsDir }), folder);
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    const share = readdirSync(join(folder, 'assets')).filter((name) => name.startsWith('share-'));
    const fonts = [...html.matchAll(/ href="\/(assets\/archivo\S+\.woff2)"/g)].map(([, path = '']) => path);
    expect(fonts).toHaveLength(2);
    for (const path of [...fonts, `assets/${share[0]}`])
      expect(statSync(join(folder, path)).size).toBeGreaterThan(0);
    return { share, fonts, html };
  };
  const first = await put({});
  const worded = await put({ contact: { heading: 'Draw yours' } });
  expect(worded).toEqual({ ...first, html: expect.stringContaining('Draw yours') });
  const headline = await put({ hero: { headline: 'Find it' } });
  expect(headline.fonts).toEqual(first.fonts);
  expect(headline.share).not.toEqual(first.share);
  const letters = await put({ contact: { heading: 'Zażółć' } });
  expect(letters.fonts).not.toEqual(first.fonts);
  expect(letters.share).toEqual(first.share);
  for (const path of first.fonts)
    expect(existsSync(join(folder, path)), 'for pages that are open').toBe(true);
  expect(readdirSync(join(folder, '..'))).toEqual(['dist']);
});

test('the legal pages name who else has a message, and no address of a private network', () => {
  const handlers = (database: string, mail: string) =>
    shownOf(readSettings({ DATABASE_URL: `postgres://u:p@${database}/site`, SMTP_URL: `smtp://${mail}` }))
      .handlers;
  expect(handlers('db:5432', '10.0.0.5:25')).toEqual({ mailHost: undefined, storeHost: undefined });
  expect(handlers('db.example.com', 'mail.example.com')).toEqual({
    mailHost: 'mail.example.com',
    storeHost: 'db.example.com',
  });
});

test('every colour that a drawing asks for is set in its file', async () => {
  const { render, drawings } = await openProgram();
  for (const { file, svg } of render(laidOver(await readParts(), {})).renderDrawings(drawings)) {
    const asked = [...svg.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
    expect([file, ...asked.filter((name) => !svg.includes(`${name}:`))]).toEqual([file]);
  }
});

test('no link within our page leads nowhere, nor would one that the words may have, and it names no founder', async () => {
  const folder = join(temporaryFolder(), 'dist');
  await publish(readSettings({ WORDS_DIR: temporaryFolder() }), folder);
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const ids = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, id]) => id);
  const links = [...ids(/ href="#([^"]+)"/g), ...partLink.entries.id.options];
  expect(links.length).toBeGreaterThan(10);
  expect(html).not.toContain('"Person"');
  expect(links.filter((id) => id !== 'top' && !ids(/ id="([^"]+)"/g).includes(id))).toEqual([]);
});
