import { expect, test } from 'vitest';
import { replyTime } from '../content/business.ts';
import { packages } from '../content/packages.ts';
import { questions } from '../content/questions.ts';
import type { Assets } from '../ui/assets.ts';
import { price } from '../ui/words.ts';
import { machineReadableFiles } from './files.ts';

const NOW = new Date('2026-11-21T10:00:00.123Z');
const LOCAL = {
  contactEmail: 'sam@rivera-ops.ca',
  siteUrl: undefined,
} as Assets;
const filesAt = (siteUrl?: string) => machineReadableFiles({ ...LOCAL, siteUrl }, NOW);

test('security.txt has what RFC 9116 asks for, and expires within a year', () => {
  const lines = filesAt('https://rivera.ca')['.well-known/security.txt']?.trim().split('\n') ?? [];
  const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/)));
  expect(fields).toMatchObject({
    Contact: 'mailto:sam@rivera-ops.ca',
    Canonical: 'https://rivera.ca/.well-known/security.txt',
    'Preferred-Languages': 'en',
  });
  expect(fields.Expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const days = (Date.parse(fields.Expires) - NOW.getTime()) / 86_400_000;
  expect(days).toBeGreaterThan(300);
  expect(days).toBeLessThan(365);
});

test('security.txt names no address of its own without https', () => {
  expect(filesAt()['.well-known/security.txt']).not.toContain('Canonical');
  expect(filesAt('http://rivera.ca')['.well-known/security.txt']).not.toContain('Canonical');
});

test('the sitemap has the one page, and robots.txt leads to it, below any path', () => {
  for (const siteUrl of ['https://rivera.ca', 'https://rivera.ca/a&b']) {
    const files = filesAt(siteUrl);
    expect(files['sitemap.xml']?.match(/<loc>[^<]*<\/loc>/g)).toEqual([
      `<loc>${siteUrl.replace('&', '&amp;')}/</loc>`,
    ]);
    expect(files['robots.txt']).toMatch(/^User-agent: \*\nAllow: \/\n/);
    expect(files['robots.txt']).toContain(`\nSitemap: ${siteUrl}/sitemap.xml\n`);
  }
});

test('without a public address there is no sitemap, and no file holds an address', () => {
  const files = filesAt();
  expect(files['sitemap.xml']).toBeUndefined();
  expect(files['robots.txt']).toBe('User-agent: *\nAllow: /\n');
  expect(JSON.stringify(files)).not.toMatch(/https?:/);
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
  expect(text).toContain(`a reply comes ${replyTime}`);
  expect(text).not.toMatch(/[{}]|undefined|null/);
});
