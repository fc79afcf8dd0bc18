import type { ComponentType } from 'react';
import type { ProfessionalService } from 'schema-dts';
import type { Assets } from './assets.ts';

/** A section, and what machine-readable/ takes from it. */
export type Section = ComponentType & {
  /** Paragraphs for llms.txt. */
  markdown?: string[];
  /** For search engines. */
  structured?: (assets: Assets) => BusinessFacts;
};

export type BusinessFacts = Partial<
  Pick<Exclude<ProfessionalService, string>, 'founder' | 'hasOfferCatalog'>
>;
