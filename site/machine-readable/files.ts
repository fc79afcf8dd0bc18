import { brand, business } from '../content/business.ts';
import { contact } from '../content/contact.ts';
import { navigation } from '../content/navigation.ts';
import { llms, site } from '../content/site.ts';
import { legalPages, legalWords } from '../LegalPage.tsx';
import { sections } from '../Page.tsx';
import type { Assets } from '../ui/assets.ts';
import { bullets, filled } from '../ui/words.ts';

export function machineReadableFiles(assets: Assets): Record<string, string> {
  const { siteUrl } = assets;
  return {
    'robots.txt': `User-agent: *\nAllow: /\n${siteUrl ? `\nSitemap: ${siteUrl}/sitemap.xml\n` : ''}`,
    // A sitemap needs absolute addresses.
    ...(siteUrl && { 'sitemap.xml': sitemap(siteUrl) }),
    'llms.txt': llmsTxt(assets),
    '.well-known/security.txt': securityTxt(assets),
  };
}

function sitemap(siteUrl: string): string {
  const urls = ['', ...legalPages.map(([name]) => name)].map(
    (path) => `<url><loc>${siteUrl}/${path}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>
`;
}

/** The page as Markdown, for programs that answer questions about it: llmstxt.org. */
function llmsTxt(assets: Assets): string {
  const { siteUrl, contactEmail } = assets;
  const address = (id: string) => `${siteUrl ?? ''}/#${id}`;
  const paragraphs = filled([
    `# ${brand.name}`,
    `> ${site.description}`,
    bullets([
      contact.place,
      filled(llms.clients, { serves: business.serves }),
      filled(llms.write, { email: contactEmail, form: address(navigation.callToAction.id) }),
    ]),
    ...sections.flatMap(({ markdown }) => markdown ?? []),
    `## ${llms.links}`,
    bullets([
      ...navigation.links.map(({ label, id }) => `[${label}](${address(id)})`),
      ...legalPages.map(([name, page]) => `[${legalWords(page, assets).heading}](${siteUrl ?? ''}/${name})`),
    ]),
  ]);
  return `${paragraphs.join('\n\n')}\n`;
}

/** Who to tell about a vulnerability: RFC 9116, without its expiry, which a page that's never rebuilt would outlive. */
function securityTxt({ siteUrl, contactEmail }: Assets): string {
  return [
    `Contact: mailto:${encodeURI(contactEmail)}`,
    `Preferred-Languages: ${site.language.split('-')[0]}`,
    // RFC 9116 requires https here.
    ...(siteUrl?.startsWith('https:') ? [`Canonical: ${siteUrl}/.well-known/security.txt`] : []),
    '',
  ].join('\n');
}
