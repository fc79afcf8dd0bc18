import type { Assets } from '../ui/assets.ts';
import { llmsTxt } from './llms-txt.ts';
import { type Icon, manifest } from './manifest.ts';
import { securityTxt } from './security-txt.ts';
import { robotsTxt, sitemap } from './sitemap.ts';

/**
 * The files that programs look for by their names, by those names.
 *
 * @param now when the site is built
 */
export function machineReadableFiles(assets: Assets, icons: Icon[], now: Date): Record<string, string> {
  const { siteUrl, contactEmail } = assets;
  return {
    'robots.txt': robotsTxt(siteUrl),
    // Addresses in a sitemap are whole ones, or it is none.
    ...(siteUrl && { 'sitemap.xml': sitemap(siteUrl) }),
    'llms.txt': llmsTxt(assets),
    'manifest.webmanifest': JSON.stringify(manifest(assets, icons)),
    '.well-known/security.txt': securityTxt({ siteUrl, contactEmail, now }),
  };
}
