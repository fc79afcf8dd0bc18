import { expect, test } from 'vitest';
import { packages } from '../content/packages.ts';
import { questions } from '../content/questions.ts';
import type { Assets } from '../ui/assets.ts';
import { facts, price } from '../ui/words.ts';
import { machineReadableFiles } from './files.ts';

const LOCAL = {
  contactEmail: 'sam@rivera-ops.ca',
  siteUrl: undefined,
} as Assets;
const filesAt = (siteUrl?: string, assets: Assets = LOCAL) => machineReadableFiles({ ...assets, siteUrl });

test('security.txt says whom to write to, in which language', () => {
  const lines = filesAt('https://rivera.ca')['.well-known/security.txt']?.trim().split('\n') ?? [];
  const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/)));
  expect(fields).toEqual({
    Contact: 'mailto:sam@rivera-ops.ca',
    Canonical: 'https://rivera.ca/.well-known/security.txt',
    'Preferred-Languages': 'en',
  });
});

test('the sitemap has the one page, and robots.txt leads to it', () => {
  const files = filesAt('https://rivera.ca');
  expect(files['sitemap.xml']?.match(/<loc>[^<]*<\/loc>/g)).toEqual(['<loc>https://rivera.ca/</loc>']);
  expect(files['robots.txt']).toBe('User-agent: *\nAllow: /\n\nSitemap: https://rivera.ca/sitemap.xml\n');
});

test('llms.txt says what is offered, for how much, and what owners ask', () => {
  const text = filesAt('https://rivera.ca')['llms.txt'] ?? '';
  // llmstxt.org: a title, a summary as a blockquote, sections.
  expect(text).toMatch(/^# \S.*\n\n> \S.*\n\n/);
  for (const { title, ...item } of packages.items) {
    expect(text).toContain(`### ${title}: ${price(item.price)} CAD\n`);
  }
  for (const { question } of questions.items) expect(text).toContain(`### ${question}\n`);
  expect(text).toContain('[Packages](https://rivera.ca/#blueprint-journey)');
  expect(text).toContain(`a reply comes ${facts.reply}`);
  expect(text).not.toMatch(/[{}]|undefined|null/);
});
