import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPictures } from '../build/pictures.ts';
import { ROOT } from '../build/vite.ts';

const FOURTH_PACKAGE = `
    {
      stage: 4,
      price: 7999,
      priceCaption: 'One-time setup, no hidden fees',
      title: 'The Second Site',
      timeline: 26,
      effort: 60,
      purpose: 'The same line, in another town.',
      features: ['A second plan', 'Transfers between sites'],
      outcome: 'Two sites work as one.',
      popular: false,
      delay: 300,
    },
`;

/** An owner's copy of the project: a few words and figures changed, each in one place, then built. */
describe('a copy that was made the owner’s', () => {
  let copy: string;
  let said: string;
  const built = (path: string) => readFileSync(join(copy, 'dist', path), 'utf8');

  function edit(file: string, search: string | RegExp, replacement: string): void {
    const path = join(copy, 'site/content', file);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(search, replacement);
    expect(after, `the edit of ${file} found its place`).not.toBe(before);
    writeFileSync(path, after);
  }

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'make-it-yours-'));
    for (const path of [
      'site',
      'build',
      'mail',
      'messages',
      'outbox',
      'server',
      'settings',
      'contract',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
    ]) {
      cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    edit('packages.ts', 'price: 1499', 'price: 1799');
    edit('packages.ts', '\n  ],\n};', `\n${FOURTH_PACKAGE}  ],\n};`);
    edit('business.ts', "name: 'Blueprint Operations'", "name: 'Rivera & Daughters <Ops>'");
    edit('business.ts', `\`within \${REPLY_HOURS} hours\``, "'by the next working day'");
    edit(
      'site.ts',
      "description:\n    'An operations",
      `description:\n    'An ${'experienced '.repeat(5)}operations`,
    );
    edit('founder.ts', "name: ''", "name: 'Sam Rivera'");
    edit(
      'footer.ts',
      "label: 'Terms & Conditions', href: '#'",
      "label: 'Terms & Conditions', href: 'https://rivera-ops.example/terms.pdf'",
    );
    edit(
      'footer.ts',
      "label: 'Privacy Policy', href: '#'",
      "label: 'Privacy Policy', href: 'https://rivera-ops.ca/privacy'",
    );
    copyFileSync(join(ROOT, 'tests/pictures/phone.heic'), join(copy, 'site/content/founder.heic'));
    said = execFileSync(process.execPath, [join(copy, 'build/build.ts')], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        SITE_URL: 'https://rivera-ops.ca',
        CONTACT_EMAIL: 'sam@rivera-ops.ca',
        RETENTION_DAYS: '400',
      },
    });
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test('has nothing left to replace', () => {
    expect(said).toMatch(/^ {2}The page is built, and nothing on it is a placeholder\.$/m);
  });

  test('is told of a text that search engines would cut off', () => {
    expect(said).toMatch(
      /Note: The description in site\/content\/site\.ts has 2\d\d characters; search engines show about 160\./,
    );
  });

  test('has its price in the package, the first view, the answers, the data and llms.txt, and the old one nowhere', () => {
    const html = built('index.html');
    expect(html).toContain('$1,799 <small>CAD</small>');
    expect(html).toContain('From $1,799 CAD, no hidden fees');
    expect(html.match(/\$1,799, \$2,499, \$4,999 or \$7,999 CAD/g), 'the answer, and the data').toHaveLength(
      2,
    );
    expect(html).toContain('"price":1799,"priceCurrency":"CAD"');
    expect(built('llms.txt')).toContain('### The Foundation Blueprint: $1,799 CAD');
    for (const path of ['index.html', 'llms.txt']) expect(built(path)).not.toMatch(/1,?499/);
  });

  test('has its fourth package on the page, in the data and in llms.txt, on a scale that all of them share', () => {
    const html = built('index.html');
    expect(html).toContain('Four blueprints. One price each.');
    expect(html.match(/Sheet \d of 4/g)).toEqual([
      'Sheet 1 of 4',
      'Sheet 2 of 4',
      'Sheet 3 of 4',
      'Sheet 4 of 4',
    ]);
    expect(html.match(/viewBox="0 0 260 8"/g), 'boxes for 26 weeks').toHaveLength(4);
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
    const { hasOfferCatalog } = JSON.parse(json)['@graph'][1];
    expect(hasOfferCatalog.itemListElement.map(({ price }: { price: number }) => price)).toEqual([
      1799, 2499, 4999, 7999,
    ]);
    expect(built('llms.txt')).toContain('### The Second Site: $7,999 CAD\n\nThe same line, in another town.');
  });

  test('has its name in the title, the data and the manifest, with its signs made safe', () => {
    expect(built('index.html')).toContain('Business Down – Rivera &amp; Daughters &lt;Ops&gt;</title>');
    const [, json = ''] =
      /<script type="application\/ld\+json">(.*?)<\/script>/.exec(built('index.html')) ?? [];
    expect(JSON.parse(json)['@graph'][1]).toMatchObject({
      name: 'Rivera & Daughters <Ops>',
      email: 'sam@rivera-ops.ca',
      founder: {
        '@type': 'Person',
        name: 'Sam Rivera',
        image: expect.stringMatching(/^https:\/\/rivera-ops\.ca\/assets\/founder-/),
      },
    });
    expect(JSON.parse(built('manifest.webmanifest')).name).toBe('Rivera & Daughters <Ops>');
  });

  test('has its reply time on the page and in the scripts', () => {
    expect(built('index.html')).not.toContain('24 hours.');
    const scripts = readdirSync(join(copy, 'dist/assets')).filter((name) => name.endsWith('.js'));
    const code = scripts.map((name) => built(`assets/${name}`)).join('');
    expect(code).toContain('by the next working day');
    expect(code).not.toContain('24 hours');
  });

  test('says by the form how long messages are kept, and leads to the policy', () => {
    expect(built('index.html')).toContain(
      'for nothing else. <a href="mailto:sam@rivera-ops.ca">Write to me</a> and I erase them. Otherwise they’re erased after 400 days. <a href="https://rivera-ops.ca/privacy">Privacy Policy</a>',
    );
  });

  test('shows the photo in place of the drawing', () => {
    const html = built('index.html');
    expect(html).toMatch(/<source type="image\/avif" srcset="\/assets\/founder-[\w-]{8}\/416\.avif 416w, /i);
    expect(html).toContain('alt="Sam Rivera"');
    expect(html).not.toContain('portrait.svg');
  });
});

test('the picture of shared links shows the lowest price', async () => {
  const parts = {
    plan: '<svg viewBox="0 0 1 1"></svg>',
    mark: '<svg viewBox="0 0 32 32"></svg>',
    headline: 'Fix it',
    name: 'Ops',
  };
  const at = async (fact: string) => (await buildPictures({ ...parts, facts: [fact] })).share;
  expect(await at('From $1,799 CAD')).not.toBe(await at('From $1,499 CAD'));
  expect(await at('From $1,499 CAD')).toBe(await at('From $1,499 CAD'));
});
