import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

test('every link of the docs leads to a file and a heading that are there', () => {
  const papers = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT });
  const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const anchors = (path: string) =>
    [...text(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
  const broken = papers.flatMap((from) =>
    [...text(from).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(
      ([link, path = '', anchor]) => {
        const to = path ? join(dirname(from), path) : from;
        const isThere = existsSync(join(ROOT, to)) && (!anchor || anchors(to).includes(anchor));
        return isThere ? [] : [`${from}: ${link}`];
      },
    ),
  );
  expect(broken).toEqual([]);
});

test('every test that is said to hold a promise is there', () => {
  const texts = ['reliability', 'privacy'].map((name) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'));
  const named = [...new Set(texts.join('').match(/[\w/-]+\.(?:test|spec)\.ts/g))];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
