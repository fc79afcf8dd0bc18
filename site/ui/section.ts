import type { ComponentType } from 'react';

/** A section, and its paragraphs for llms.txt. */
export type Section = ComponentType & { markdown?: string[] };
