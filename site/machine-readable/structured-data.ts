import type { Graph, ProfessionalService, WebSite } from 'schema-dts';
import { brand, business } from '../content/business.ts';
import { site } from '../content/site.ts';
import { sections } from '../Page.tsx';
import type { Assets } from '../ui/assets.ts';
import type { BusinessFacts } from '../ui/section.ts';
import { filled } from '../ui/words.ts';

/** For search engines, in schema.org's vocabulary. Says only what the page shows, and no address without SITE_URL. */
export function structuredData(assets: Assets): Graph {
  const { contactEmail, siteUrl, sharePicture } = assets;
  const home = siteUrl && `${siteUrl}/`;
  const told: BusinessFacts = Object.assign({}, ...sections.map(({ structured }) => structured?.(assets)));
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
    ...told,
  };
  return {
    '@context': 'https://schema.org',
    '@graph': [website, service],
  };
}
