import { brand, business } from '../content/business.ts';
import { contact } from '../content/contact.ts';
import { navigation } from '../content/navigation.ts';
import { site } from '../content/site.ts';
import { sections } from '../Page.tsx';
import type { Assets } from '../ui/assets.ts';
import { bullets, filled } from '../ui/words.ts';

/** The page's facts for programs that answer questions about it, as Markdown after llmstxt.org. */
export function llmsTxt({ siteUrl, contactEmail }: Assets): string {
  const address = (id: string) => `${siteUrl ?? ''}/#${id}`;
  const paragraphs = filled([
    `# ${brand.name}`,
    `> ${site.description}`,
    bullets([
      contact.place,
      `Clients: ${business.serves}`,
      `Write to ${contactEmail}, or use the form at ${address(navigation.callToAction.id)}; a reply comes {reply}.`,
    ]),
    ...sections.flatMap(({ markdown }) => markdown ?? []),
    '## Links',
    bullets(navigation.links.map(({ label, id }) => `[${label}](${address(id)})`)),
  ]);
  return `${paragraphs.join('\n\n')}\n`;
}
