import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { ensureProgram, publish } from '../publish/publish.ts';
import { writeOwn } from '../publish/words.ts';
import { readSettings } from '../settings/settings.ts';
import { contactForm } from '../site/content/contact-form.ts';
import { hero } from '../site/content/hero.ts';
import { packages } from '../site/content/packages.ts';
import { questions } from '../site/content/questions.ts';
import { filled, price } from '../site/ui/words.ts';
import { temporaryFolder } from './support/service.ts';

const OURS = packages.items;
const PACKAGES = [1793, 2503, 5003, 7993].map((price, at) => ({
  ...(OURS[at] ?? { ...OURS[0], title: 'Keep $$ ready', purpose: 'The same line, in another town.' }),
  price,
  timeline: 4 * (at + 1),
  effort: 40 * (at + 1),
  popular: at === 1,
}));

test('a page with words, prices, a photo and a name of the owner’s has them everywhere, for programs too, and ours nowhere', async () => {
  const [words, dist] = [temporaryFolder(), join(temporaryFolder(), 'dist')];
  await writeOwn(words, {
    packages: { items: PACKAGES },
    brand: { name: 'Rivera & Daughters <Ops>' },
    replyTime: 'by the next working day',
    founder: { name: 'Sam Rivera' },
    promises: { client: { sentence: 'Orders leave the same day.', name: 'Kim Roy', firm: 'Roy Solar' } },
    // As phones and contacts write them
    contact: { phone: { number: '\u202a+44 (0)20 7946‑0958' }, booking: { address: 'Https://a.ca/sam' } },
  });
  // A single colour, since encoding anything else takes seconds.
  const brown = { width: 900, height: 900, channels: 3, background: '#884422' } as const;
  await sharp({ create: brown }).toFile(join(words, 'founder.png'));
  const settings = readSettings({
    WORDS_DIR: words,
    SITE_URL: 'https://rivera-ops.ca',
    CONTACT_EMAIL: 'sam@rivera-ops.ca',
  });
  await ensureProgram();
  await publish(settings, dist);
  const built = (path: string) => readFileSync(join(dist, path), 'utf8');
  const html = built('index.html');
  const llms = built('llms.txt');

  // The price, in the package, the first view, the answers, the data and for programs
  for (const text of [
    '$1,793 <small>CAD</small>',
    ', from $1,793 CAD.',
    '$1,793, $2,503, $5,003 or $7,993 CAD',
    '"price":1793,"priceCurrency":"CAD"',
    'Four blueprints. One price each.',
    'Sheet 4 of 4',
    '"promise":"I’ll reply by the next working day."',
    'Business Down – Rivera &amp; Daughters &lt;Ops&gt;</title>',
    'mailto:sam@rivera-ops.ca',
    'href="tel:+442079460958"',
    'href="Https://a.ca/sam"',
    '<blockquote><p>Orders leave the same day.</p><footer>Kim Roy, Roy Solar</footer>',
  ])
    expect(html).toContain(text);
  expect(html, 'a scale that its own marks fill').not.toContain('v8h10v-8'.repeat(51));
  expect(llms).toContain(`### ${OURS[0]?.title}: $1,793 CAD`);
  expect(llms).toContain('### Keep $$ ready: $7,993 CAD\n\nThe same line, in another town.');
  expect(new Set(html.match(/Keep \S+ ready/g)), 'by every name').toEqual(new Set(['Keep $$ ready']));
  for (const ours of OURS) {
    for (const page of [html, llms]) expect(page).not.toContain(price(ours.price));
    expect(html).not.toContain(`"price":${ours.price},`);
  }
  // llmstxt.org: a title, a summary as a blockquote, sections.
  expect(llms).toMatch(/^# Rivera & Daughters <Ops>\n\n> \S.*\n\n/);
  for (const { question } of questions.items) expect(llms).toContain(`### ${question}\n`);
  expect(llms).toContain('[Packages](https://rivera-ops.ca/#blueprint-journey)');
  expect(llms).toContain('expect a reply by the next working day');
  expect(llms).not.toMatch(/[{}]|undefined|null/);

  // developers.google.com/search/docs/appearance/structured-data: local-business, site-names
  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
  const [website, { hasOfferCatalog, ...business }] = JSON.parse(json)['@graph'];
  expect(hasOfferCatalog.itemListElement.map((offer: { price: number }) => offer.price)).toEqual(
    PACKAGES.map(({ price }) => price),
  );
  const named = { name: 'Rivera & Daughters <Ops>', url: 'https://rivera-ops.ca/' };
  expect(website).toMatchObject({ '@type': 'WebSite', ...named });
  expect(business).toMatchObject({
    ...{ '@type': 'ProfessionalService', ...named, email: 'sam@rivera-ops.ca' },
    address: { '@type': 'PostalAddress', addressCountry: 'CA' },
    image: expect.stringMatching(/^https:\/\/rivera-ops\.ca\/assets\/share-/),
    areaServed: expect.stringMatching(/\S/),
    founder: {
      '@type': 'Person',
      name: 'Sam Rivera',
      image: expect.stringMatching(/^https:\/\/rivera-ops\.ca\/assets\/founder-/),
    },
  });

  const tags = Object.fromEntries(
    [...html.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)"/g)].map(([, ...tag]) => tag),
  );
  expect(tags).toMatchObject({
    description: expect.stringMatching(/^.{50,160}$/),
    'og:type': 'website',
    'og:url': 'https://rivera-ops.ca/',
    'og:site_name': 'Rivera &amp; Daughters &lt;Ops&gt;',
    'og:title': 'Fix What’s Slowing Your Business Down',
    'og:description': tags.description,
    'og:locale': 'en_CA',
    'og:image': business.image,
    'og:image:alt': filled(hero.drawing),
    'twitter:card': 'summary_large_image',
  });
  expect(html).toContain('<link rel="canonical" href="https://rivera-ops.ca/"/>');
  const picture = join(dist, business.image.slice(tags['og:url'].length));
  const { width, height, format } = await sharp(picture).metadata();
  expect([format, `${width}`, `${height}`]).toEqual(['png', tags['og:image:width'], tags['og:image:height']]);

  for (const path of ['404.html', 'message-not-sent.html']) {
    expect(built(path)).toContain('<meta name="robots" content="noindex"/>');
    expect(built(path)).not.toMatch(/canonical|og:|ld\+json/);
  }

  expect(built('.well-known/security.txt').trim().split('\n').toSorted()).toEqual([
    'Canonical: https://rivera-ops.ca/.well-known/security.txt',
    'Contact: mailto:sam@rivera-ops.ca',
    'Preferred-Languages: en',
  ]);
  expect(built('sitemap.xml').match(/<loc>[^<]*<\/loc>/g)).toEqual(['<loc>https://rivera-ops.ca/</loc>']);
  expect(built('robots.txt')).toBe('User-agent: *\nAllow: /\n\nSitemap: https://rivera-ops.ca/sitemap.xml\n');

  // The editor's marks around words are gone, and scripts get their words from the page.
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(html|js|css|txt)$/.test(path)) continue;
    expect(built(path)).not.toMatch(/data-words|[\ue001-\ue003]/);
    if (path.endsWith('.js')) {
      for (const text of ['by the next working day', 'sam@rivera-ops.ca', contactForm.sending])
        expect(built(path)).not.toContain(text);
    }
  }
});
