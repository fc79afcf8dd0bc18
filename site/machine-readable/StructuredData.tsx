import { useAssets } from '../ui/assets.ts';
import { structuredData } from './structured-data.ts';

/** A block of data, which browsers neither show nor run. */
export function StructuredData() {
  // Nothing that the words hold may end the block early.
  const json = JSON.stringify(structuredData(useAssets())).replaceAll('<', '\\u003c');
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the build's own data; React would escape its quotes
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />;
}
