import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Words } from '../publish/words.ts';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { contactForm } from '../site/content/contact-form.ts';
import { packages } from '../site/content/packages.ts';
import { price } from '../site/ui/words.ts';
import { copyProject } from './support/site/copy-project.ts';

const OURS = packages.items;
/** At prices that are none of ours. */
const THREE_PACKAGES = [1793, 2503, 5003].map((price, at) => ({
  ...OURS[at % OURS.length],
  price,
  timeline: 4 * (at + 1),
  popular: at === 1,
}));
const FOURTH_PACKAGE = {
  price: 7993,
  priceCaption: 'One-time setup, no hidden fees',
  title: 'The Second Site',
  timeline: 26,
  effort: 60,
  purpose: 'The same line, in another town.',
  features: ['A second plan', 'Transfers between sites'],
  outcome: 'Two sites work as one.',
  popular: false,
};

/** An owner's copy of the project: a few words and figures in the owner's own folder, then built. */
describe('a copy that was made the owner’s', () => {
  let copy: string;
  let said: string;
  const built = (path: string) => readFileSync(join(copy, 'dist', path), 'utf8');
  const own = (words: Words) => writeFileSync(join(copy, 'mine/words.json'), JSON.stringify(words, null, 2));
  const build = () =>
    execFileSync(process.execPath, [join(copy, 'publish/publish.ts')], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        SITE_URL: 'https://rivera-ops.ca',
        CONTACT_EMAIL: 'sam@rivera-ops.ca',
        RETENTION_DAYS: '400',
      },
    });

  /** An edit of ours. */
  function edit(path: string, search: string | RegExp, replacement: string): void {
    const file = join(copy, path);
    const before = readFileSync(file, 'utf8');
    const after = before.replace(search, replacement);
    expect(after, `the edit of ${path} found its place`).not.toBe(before);
    writeFileSync(file, after);
  }

  beforeAll(async () => {
    copy = copyProject();
    mkdirSync(join(copy, 'mine'));
    own({
      packages: {
        items: [...THREE_PACKAGES, FOURTH_PACKAGE],
        effortMeaning: 'These are hours that I work.',
      },
      brand: { name: 'Rivera & Daughters <Ops>' },
      replyTime: 'by the next working day',
      site: { description: `An ${'experienced '.repeat(15)}operations consultant.` },
      founder: { name: 'Sam Rivera' },
      footer: {
        legal: {
          terms: { href: 'https://rivera-ops.example/terms.pdf' },
          privacy: { href: 'https://rivera-ops.ca/privacy' },
        },
      },
    });
    copyFileSync(join(PROJECT_ROOT, 'docs/page.png'), join(copy, 'mine/founder.png'));
    said = build();
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test('has nothing left to replace, and names a text that search engines would cut off', () => {
    expect(said).toMatch(/^ {2}The page is built\./m);
    expect(said).toMatch(/Note: The description for search results has 2\d\d characters; .* about 160\./);
  });

  test('has no trace of what the editor marks words with', () => {
    for (const path of readdirSync(join(copy, 'dist'), { recursive: true, encoding: 'utf8' }))
      if (/\.(html|js|css|txt)$/.test(path)) expect(built(path)).not.toMatch(/data-words|[\ue001-\ue003]/);
  });

  test('has its price in the package, the first view, the answers, the data and llms.txt, and the old one nowhere', () => {
    const html = built('index.html');
    expect(html).toContain('$1,793 <small>CAD</small>');
    expect(html).toContain('From $1,793 CAD, no hidden fees');
    expect(html).toContain('$1,793, $2,503, $5,003 or $7,993 CAD');
    expect(html).toContain('"price":1793,"priceCurrency":"CAD"');
    expect(built('llms.txt')).toContain(`### ${THREE_PACKAGES[0]?.title}: $1,793 CAD`);
    for (const path of ['index.html', 'llms.txt'])
      for (const ours of OURS) {
        expect(built(path)).not.toContain(price(ours.price));
        expect(built(path)).not.toContain(`"price":${ours.price},`);
      }
  });

  test('has its fourth package on the page, in the data and in llms.txt, on a scale that all of them share', () => {
    const html = built('index.html');
    expect(html).toContain('Four blueprints. One price each.');
    expect(html).toContain('Sheet 4 of 4');
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
    const { hasOfferCatalog } = JSON.parse(json)['@graph'][1];
    expect(hasOfferCatalog.itemListElement.map(({ price }: { price: number }) => price)).toEqual([
      1793, 2503, 5003, 7993,
    ]);
    expect(built('llms.txt')).toContain('### The Second Site: $7,993 CAD\n\nThe same line, in another town.');
  });

  test('has its name in the title and the data, with its signs made safe', () => {
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
  });

  test('has no word or address in the scripts, which get them from the page', () => {
    const scripts = readdirSync(join(copy, 'dist/assets')).filter((name) => name.endsWith('.js'));
    const code = scripts.map((name) => built(`assets/${name}`)).join('');
    for (const text of ['by the next working day', 'sam@rivera-ops.ca', contactForm.sending])
      expect(code).not.toContain(text);
    expect(built('index.html')).toContain('"promise":"You get a reply by the next working day."');
  });

  test('keeps its words when an update changes the same file, and gets what the update adds', () => {
    // Encoding it again would prove nothing.
    rmSync(join(copy, 'mine/founder.png'));
    own({ hero: { headline: 'Mine stays', seeHow: { label: 'Show me' } } });
    edit('site/content/hero.ts', /headline: '[^']*'/, "headline: 'Another default'");
    edit('site/content/hero.ts', /label: '[^']*', id: '[^']*'/, "label: 'Other', id: 'about-founder'");
    edit('site/content/hero.ts', '  kicker:', "  added: 'A new field',\n  kicker:");
    edit('site/content/hero.ts', '      kicker: ', '      added: words,\n      kicker: ');
    edit('site/sections/Hero.tsx', '{hero.headline}', '{hero.headline}<b>{hero.added}</b>');
    build();
    const html = built('index.html');
    expect(html).toMatch(/<h1[^>]*>Mine stays<b>A new field<\/b>/);
    expect(html).not.toContain('Another default');
    expect(html).toMatch(/<a[^>]*href="#about-founder"[^>]*>Show me/);
  });

  test('keeps its old page, and says why, when an update takes a field away that its words have', () => {
    const before = built('index.html');
    own({ hero: { headline: 'Newer', gone: 'a' } });
    expect(build).toThrow(
      /mine\/words\.json, line 4: hero → gone is not a field.*If an update has removed it, delete it/,
    );
    expect(built('index.html')).toBe(before);
  });
});
