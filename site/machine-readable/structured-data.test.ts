import { afterEach, expect, test } from 'vitest';
import { founder } from '../content/founder.ts';
import { packages } from '../content/packages.ts';
import type { Assets } from '../ui/assets.ts';
import { structuredData } from './structured-data.ts';

const unnamed = founder.name;
afterEach(() => {
  founder.name = unnamed;
});

const picture = { src: '/assets/x.svg', width: 1, height: 1 };
const LOCAL = {
  contactEmail: 'sam@rivera-ops.ca',
  siteUrl: undefined,
  sharePicture: '/assets/share.png',
  founderPhoto: null,
} as Assets;
const ONLINE: Assets = { ...LOCAL, siteUrl: 'https://www.rivera-ops.ca' };

/** What a search engine gets. */
const parsed = (assets: Assets) => JSON.parse(JSON.stringify(structuredData(assets)));
const node = (assets: Assets, type: string) =>
  parsed(assets)['@graph'].find((entry: { '@type': string }) => entry['@type'] === type);

test('it has what Google requires of each kind', () => {
  for (const assets of [ONLINE, { ...ONLINE, siteUrl: 'https://rivera.ca/ops' }]) {
    const home = `${assets.siteUrl}/`;
    // developers.google.com/search/docs/appearance/structured-data: local-business, site-names
    expect(node(assets, 'ProfessionalService')).toMatchObject({
      name: expect.stringMatching(/\S/),
      address: { '@type': 'PostalAddress', addressCountry: 'CA' },
      url: home,
      image: `${assets.siteUrl}/assets/share.png`,
      areaServed: expect.stringMatching(/\S/),
    });
    expect(node(assets, 'WebSite')).toMatchObject({ name: expect.stringMatching(/\S/), url: home });
  }
});

test('the offers have the packages’ prices in Canadian dollars', () => {
  const { hasOfferCatalog } = node(LOCAL, 'ProfessionalService');
  expect(hasOfferCatalog['@type']).toBe('OfferCatalog');
  expect(hasOfferCatalog.itemListElement).toMatchObject(
    packages.items.map(({ title, price }) => ({
      '@type': 'Offer',
      price,
      priceCurrency: 'CAD',
      itemOffered: { '@type': 'Service', name: title },
    })),
  );
});

test('the founder is named only once the owner has written a name', () => {
  expect(JSON.stringify(parsed(ONLINE))).not.toContain('Person');
  founder.name = 'Sam Rivera';
  expect(node(LOCAL, 'ProfessionalService').founder).toEqual({ '@type': 'Person', name: 'Sam Rivera' });
  const photo = { ...picture, src: '/assets/founder/416.jpg', sources: [] };
  expect(node({ ...ONLINE, founderPhoto: photo }, 'ProfessionalService').founder).toEqual({
    '@type': 'Person',
    name: 'Sam Rivera',
    image: 'https://www.rivera-ops.ca/assets/founder/416.jpg',
  });
});
