import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

test('every package that runs is listed with its reason, and no other', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const table = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const listed = table.flatMap((line) => line.split('|')[1]?.match(/[^`\s,]+/g) ?? []);
  expect(listed.toSorted()).toEqual(Object.keys(dependencies).toSorted());
  expect(Object.values(dependencies).filter((version) => !/^\d/.test(version))).toEqual([]);
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
