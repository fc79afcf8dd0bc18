import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DAY } from '../contract/time.ts';
import { readSettings } from '../settings/settings.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { serveSite } from '../tests/support/site/serve-site.ts';
import { EARLIER, keepEarlierFiles, replaceFolder } from './folder.ts';
import { ensureProgram, publish } from './publish.ts';

const START = Date.UTC(2026, 10, 21);

/** Builds after one another of these files; each has the one before to keep files from. */
function builds() {
  const root = temporaryFolder();
  let last = 'none';
  return {
    list: () => join(root, last, EARLIER),
    async next(now: number, ...paths: string[]) {
      const before = join(root, last);
      last = `build ${readdirSync(root).length}`;
      for (const path of paths) {
        mkdirSync(dirname(join(root, last, path)), { recursive: true });
        writeFileSync(join(root, last, path), path);
      }
      await keepEarlierFiles(before, join(root, last), now);
      return readdirSync(join(root, last), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== EARLIER)
        .map(({ name }) => name)
        .toSorted();
    },
  };
}

test('scripts, styles, fonts and drawings of an earlier build stay for 30 days, packed ones too, and nothing else', async () => {
  const { next } = builds();
  const asked = ['a-1.js', 'a-1.js.br', 'a-1.js.gz', 'b-1.css', 'c-1.woff2', 'drawings-1/d.svg'];
  const paths = [...asked, 'photo-1/416.avif', 'share-1.png'].map((path) => `assets/${path}`);
  const kept = ['a-1.js', 'a-1.js.br', 'a-1.js.gz', 'b-1.css', 'c-1.woff2', 'd.svg'];
  await next(START, ...paths, 'index.html');
  expect(await next(START + DAY, 'assets/a-2.js')).toEqual([...kept, 'a-2.js'].toSorted());
  // Each from when it was no longer part of the page.
  expect(await next(START + 30 * DAY, 'assets/a-3.js')).toEqual([...kept, 'a-2.js', 'a-3.js'].toSorted());
  expect(await next(START + 31 * DAY, 'assets/a-3.js')).toEqual(['a-2.js', 'a-3.js']);
  expect(await next(START + 60 * DAY, 'assets/a-3.js')).toEqual(['a-3.js']);
});

test('a list that is missing, or of a clock that ran ahead, keeps its files for another 30 days', async () => {
  for (const text of [undefined, `{"assets/a-1.js":${START + 400 * DAY}}`]) {
    const { next, list } = builds();
    await next(START, 'assets/a-1.js');
    await next(START, 'assets/a-2.js');
    if (text) writeFileSync(list(), text);
    else rmSync(list());
    expect(await next(START + 31 * DAY, 'assets/a-2.js')).toEqual(['a-1.js', 'a-2.js']);
    expect(await next(START + 61 * DAY, 'assets/a-2.js')).toEqual(['a-2.js']);
  }
});

test('a finished page takes the place of the one before, or of none; if it can’t, that one stays', async () => {
  const root = temporaryFolder();
  const page = join(root, 'dist');
  for (const name of ['first', 'second']) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'index.html'), name);
    await replaceFolder(join(root, name), page);
    expect(readFileSync(join(page, 'index.html'), 'utf8')).toBe(name);
    expect(readdirSync(root)).toEqual(['dist']);
  }
  // It can be moved away, and then there's nothing to move in.
  await expect(replaceFolder(join(root, 'missing'), page)).rejects.toThrow(/ENOENT/);
  expect(readFileSync(join(page, 'index.html'), 'utf8')).toBe('second');
  expect(readdirSync(root)).toEqual(['dist']);
});

test('a page that was open while another was published still gets all its files, for 30 days', async () => {
  const folder = join(temporaryFolder(), 'dist');
  const words = temporaryFolder();
  const settings = readSettings({ WORDS_DIR: words });
  await ensureProgram();
  const put = async (days: number, waiting: string) => {
    writeFileSync(join(words, 'words.json'), JSON.stringify({ process: { lettering: { waiting } } }));
    await publish(settings, folder, new Date(START + days * DAY));
    const names = readdirSync(join(folder, 'assets'), { recursive: true, encoding: 'utf8' });
    const asked = names.filter((name) => /\.(js|css|svg)$/.test(name));
    return asked.map((name) => ({ name, code: readFileSync(join(folder, 'assets', name), 'utf8') }));
  };
  const missing = async (files: Awaited<ReturnType<typeof put>>) => {
    const { origin, close } = await serveSite(folder);
    onTestFinished(close);
    const answers = await Promise.all(
      files.map(async ({ name, code }) => {
        const answer = await fetch(`${origin}/assets/${name}`, { headers: { 'accept-encoding': 'br' } });
        return (await answer.text()) === code && answer.headers.get('content-encoding') === 'br' ? [] : name;
      }),
    );
    expect((await fetch(`${origin}/${EARLIER}`)).status).toBe(404);
    return answers.flat();
  };
  const first = await put(0, 'Queue');
  const second = await put(1, 'Wait');
  expect(second.length).toBeGreaterThan(first.length);
  expect(await missing(first)).toEqual([]);
});
