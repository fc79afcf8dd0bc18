import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { sections } from '../site/Page.tsx';
import { Footer } from '../site/sections/Footer.tsx';
import { Header } from '../site/sections/Header.tsx';
import { type Assets, AssetsProvider } from '../site/ui/assets.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { NO_WORDS } from '../tests/support/site/test-site.ts';
import { checkLinks } from './check-links.ts';

const picture = { src: '/drawing.svg', width: 1, height: 1 };
const assets = { drawings: new Proxy({}, { get: () => picture }), founderPhoto: null } as unknown as Assets;

/** The page without one of its sections. */
const without = (removed?: string) =>
  renderToStaticMarkup(
    <AssetsProvider value={assets}>
      <i id="mark" />
      <Header />
      <main id="main">
        {sections
          .filter(({ name }) => name !== removed)
          .map((Section) => (
            <Section key={Section.name} />
          ))}
      </main>
      <Footer />
    </AssetsProvider>,
  );

/** The lines that the check reports, as they are in the files. */
async function named(html: string): Promise<string[]> {
  const report = await checkLinks(html, NO_WORDS).then(
    () => '',
    ({ message }: Error) => message,
  );
  return [...report.matchAll(/^ {2}(site\/\S+), line (\d+): (.*)$/gm)].map(([, path = '', line, told]) => {
    expect(readFileSync(join(PROJECT_ROOT, path), 'utf8').split('\n')[Number(line) - 1]?.trim()).toBe(told);
    return `${path} ${told}`;
  });
}

test('no link of the page leads nowhere', async () => {
  expect(await named(without())).toEqual([]);
});

test.each([
  ['Process', ['hero.ts seeHow:', 'navigation.ts {']],
  ['Packages', ['footer.ts {', 'navigation.ts {']],
  ['Founder', ['navigation.ts {']],
  ['Questions', []],
])('whoever removes %s is told of each link that led there, by file and line', async (section, places) => {
  expect(sections.map(({ name }) => name)).toContain(section);
  const told = await named(without(section));
  expect(told).toEqual(places.map((start) => expect.stringContaining(`site/content/${start}`)));
});

test('a link in the owner’s words is named by the owner’s file', async () => {
  const words = temporaryFolder();
  const line = '"footer": { "links": [{ "label": "Map", "id": "map" }] }';
  writeFileSync(join(words, 'words.json'), `{\n${line}\n}`);
  const html = `${without()}<a href="#map">`;
  await expect(checkLinks(html, words)).rejects.toThrow(`  ${words}/words.json, line 2: ${line}\n\n`);
});

test('a link in a file of the page’s own code is named too', async () => {
  expect(await named(without('Hero'))).toContainEqual(expect.stringContaining('site/sections/Header.tsx <a'));
});
