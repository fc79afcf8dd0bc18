import type { ComponentType } from 'react';
import type { FAQPage, ProfessionalService } from 'schema-dts';
import type { Assets } from './assets.ts';

/** A section, and what machine-readable/ takes from it. */
export type Section = ComponentType & {
  /** Paragraphs for llms.txt. */
  markdown?: string[];
  /** For search engines: facts about the business, and what goes next to it in the graph. */
  structured?: (assets: Assets) => { business?: BusinessFacts; beside?: FAQPage };
};

export type BusinessFacts = Partial<
  Pick<Exclude<ProfessionalService, string>, 'founder' | 'hasOfferCatalog'>
>;
