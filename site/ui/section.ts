import type { ComponentType } from 'react';
import type { FAQPage, ProfessionalService } from 'schema-dts';
import type { Assets } from './assets.ts';

/** A part of the page, and what programs read of it: machine-readable/ gathers that from the sections on the page. */
export type Section = ComponentType & {
  /** Paragraphs for llms.txt. */
  markdown?: string[];
  /** For search engines: what it tells of the business, and what stands beside that. */
  structured?: (assets: Assets) => { business?: BusinessFacts; beside?: FAQPage };
};

export type BusinessFacts = Partial<
  Pick<Exclude<ProfessionalService, string>, 'founder' | 'hasOfferCatalog'>
>;
