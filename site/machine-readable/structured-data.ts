import type { Graph, ProfessionalService, WebSite } from 'schema-dts';
import { brand, business } from '../content/business.ts';
import { founder } from '../content/founder.ts';
import { packages as content } from '../content/packages.ts';
import { site } from '../content/site.ts';
import type { Assets } from '../ui/assets.ts';
import { facts, filled } from '../ui/words.ts';

const packages = filled(content, facts);

/** For search engines, in schema.org's vocabulary. Says only what the page shows, and no address without SITE_URL. */
export function structuredData({ contactEmail, siteUrl, sharePicture, founderPhoto }: Assets): Graph {
  const home = siteUrl && `${siteUrl}/`;
  const { name } = founder;
  const photo = siteUrl && founderPhoto && siteUrl + founderPhoto.src;
  const website: WebSite = {
    '@type': 'WebSite',
    ...(home && { url: home }),
    name: brand.name,
    inLanguage: site.language,
  };
  const service: ProfessionalService = {
    '@type': 'ProfessionalService',
    ...(home && { url: home, image: siteUrl + sharePicture }),
    name: brand.name,
    description: filled(site.description),
    email: contactEmail,
    address: { '@type': 'PostalAddress', addressCountry: business.countryCode },
    areaServed: business.serves,
    hasOfferCatalog: {
      '@type': 'OfferCatalog',
      name: packages.heading,
      itemListElement: packages.items.map(({ title, purpose, price }) => ({
        '@type': 'Offer',
        price,
        priceCurrency: business.currency,
        itemOffered: { '@type': 'Service', name: title, description: purpose },
      })),
    },
    ...(name && { founder: { '@type': 'Person', name, ...(photo && { image: photo }) } }),
  };
  return {
    '@context': 'https://schema.org',
    '@graph': [website, service],
  };
}
