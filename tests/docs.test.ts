import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS as ALL, type Setting } from '../settings/schema.ts';
import { PROJECT_ROOT as ROOT } from '../settings/settings.ts';

test('every link in the docs leads to a file and heading that exist', () => {
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

test('every test that’s said to back a promise exists', () => {
  const texts = ['reliability', 'privacy'].map((name) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'));
  const named = [...new Set(texts.join('').match(/[\w/-]+\.(?:test|spec)\.ts/g))];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

// Both of these are generated from the schema. After changing it, run `npx vitest run tests/docs --update`.

const SETTINGS = Object.values<Setting<unknown>>(ALL).map(({ name, meaning, fallback }) => ({
  name,
  meaning,
  value: fallback ?? '',
}));

test('.env.example has every setting with its default and its meaning', async () => {
  const blocks = SETTINGS.map(({ name, meaning, value }) => {
    const comment = meaning.replaceAll('`', '').replace(/(.{1,110})(?: |$)/g, '# $1\n');
    return `${comment}${name}=${value}\n`;
  });
  const head =
    '# Every setting, with its default. Copy this file to .env and change what you need; an empty value means the\n# default. npm start picks up a change by itself. Environment variables win over .env.\n';
  await expect([head, ...blocks].join('\n')).toMatchFileSnapshot(join(ROOT, '.env.example'));
});

test('docs/settings.md has a table of every setting', async () => {
  const rows = SETTINGS.map(({ name, meaning, value }) => {
    const linked = meaning
      .replaceAll(/\b[A-Z]+(_[A-Z]+)+\b/g, '`$&`')
      .replaceAll(/docs\/[\w-]+\.md/g, '[$&]($&)')
      .replaceAll('](docs/', '](');
    return `| \`${name}\` | ${value ? `\`${value}\`` : 'none'} | ${linked} |\n`;
  });
  const page = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8');
  const table = /(?<=\| setting \| default \| meaning \|\n\|---\|---\|---\|\n)(?:\|.*\n)+/;
  expect(page).toMatch(table);
  await expect(page.replace(table, () => rows.join(''))).toMatchFileSnapshot(join(ROOT, 'docs/settings.md'));
});
