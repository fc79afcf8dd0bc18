import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS as ALL, type Setting } from './schema.ts';
import { PROJECT_ROOT } from './settings.ts';

// Both documents are generated from the schema. After changing it, run `npx vitest run settings --update`.

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
    '# Every setting, with its default. Copy this file to .env and change what you need; an empty value means the\n# default. npm start takes a change over by itself. Environment variables win over .env.\n';
  await expect([head, ...blocks].join('\n')).toMatchFileSnapshot(join(PROJECT_ROOT, '.env.example'));
});

test('docs/settings.md has a table of every setting', async () => {
  const rows = SETTINGS.map(({ name, meaning, value }) => {
    const linked = meaning
      .replaceAll(/\b[A-Z]+(_[A-Z]+)+\b/g, '`$&`')
      .replaceAll(/docs\/[\w-]+\.md/g, '[$&]($&)')
      .replaceAll('](docs/', '](');
    return `| \`${name}\` | ${value ? `\`${value}\`` : 'none'} | ${linked} |\n`;
  });
  const page = readFileSync(join(PROJECT_ROOT, 'docs/settings.md'), 'utf8');
  const table = /(?<=\| setting \| default \| meaning \|\n\|---\|---\|---\|\n)(?:\|.*\n)+/;
  expect(page).toMatch(table);
  await expect(page.replace(table, () => rows.join(''))).toMatchFileSnapshot(
    join(PROJECT_ROOT, 'docs/settings.md'),
  );
});
