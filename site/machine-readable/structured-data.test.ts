import { expect, test } from 'vitest';
import type { Assets } from '../ui/assets.ts';
import { structuredData } from './structured-data.ts';

const ONLINE = {
  contactEmail: 'sam@rivera-ops.ca',
  siteUrl: 'https://www.rivera-ops.ca',
  sharePicture: '/assets/share.png',
  founderPhoto: null,
} as Assets;

/** What a search engine gets. */
const parsed = (assets: Assets) => JSON.parse(JSON.stringify(structuredData(assets)));
const node = (assets: Assets, type: string) =>
  parsed(assets)['@graph'].find((entry: { '@type': string }) => entry['@type'] === type);

test('it has what Google requires of each kind, and names no founder before the owner has written a name', () => {
  const home = `${ONLINE.siteUrl}/`;
  // developers.google.com/search/docs/appearance/structured-data: local-business, site-names
  expect(node(ONLINE, 'ProfessionalService')).toMatchObject({
    name: expect.stringMatching(/\S/),
    address: { '@type': 'PostalAddress', addressCountry: 'CA' },
    url: home,
    image: `${home}assets/share.png`,
    areaServed: expect.stringMatching(/\S/),
  });
  expect(node(ONLINE, 'WebSite')).toMatchObject({ name: expect.stringMatching(/\S/), url: home });
  expect(JSON.stringify(parsed(ONLINE))).not.toContain('Person');
});
