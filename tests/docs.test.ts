import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
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
  const text = texts.join('');
  const named = [...new Set(text.match(/[\w/-]+\.(?:test|spec)\.ts/g))];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('no command is written so that npm would take its options for itself', () => {
  const texts = [
    'README.md',
    'CHANGELOG.md',
    ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
  ]
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(ROOT, name), 'utf8'));
  const commands = texts.join('\n').match(/npm run (?:--silent )?desk\b[^`\n#|;)]*/g) ?? [];
  expect(commands.length).toBeGreaterThan(20);
  expect(
    commands.filter((command) => / --\w/.test(command.replace(' --silent', '').split(' -- ')[0] ?? '')),
  ).toEqual([]);
  // Every command is written one way: the dashes are there if an option follows.
  expect(
    commands.filter(
      (command) => command.includes('desk -- ') && !/ --\w/.test(command.split(' -- ')[1] ?? ''),
    ),
  ).toEqual([]);
});
