import type { FAQPage, Graph, Offer, Person, ProfessionalService, WebSite } from 'schema-dts';
import { brand, business } from '../content/business.ts';
import { founder } from '../content/founder.ts';
import { packages } from '../content/packages.ts';
import { questions } from '../content/questions.ts';
import { site } from '../content/site.ts';
import type { Assets } from '../ui/assets.ts';
import { facts, filled } from '../ui/words.ts';

/**
 * What search engines read, in the words of schema.org. Every fact is one that the page shows as well.
 * Without a public address nothing in it is an address.
 */
export function structuredData({ contactEmail, siteUrl, sharePicture, founderPhoto }: Assets): Graph {
  const home = siteUrl && `${siteUrl}/`;
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
    ...(founder.name && {
      founder: person(siteUrl && founderPhoto ? siteUrl + founderPhoto.src : undefined),
    }),
    hasOfferCatalog: {
      '@type': 'OfferCatalog',
      name: filled(packages.heading),
      itemListElement: filled(packages.items, facts).map(
        ({ title, purpose, price }): Offer => ({
          '@type': 'Offer',
          price,
          priceCurrency: business.currency,
          itemOffered: { '@type': 'Service', name: title, description: purpose },
        }),
      ),
    },
  };
  const answers: FAQPage = {
    '@type': 'FAQPage',
    mainEntity: filled(questions.items).map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  };
  return { '@context': 'https://schema.org', '@graph': [website, service, answers] };
}

function person(image: string | undefined): Person {
  return { '@type': 'Person', name: founder.name, ...(image && { image }) };
}
