import { brand, business } from '../content/business.ts';
import { contact } from '../content/contact.ts';
import { founder } from '../content/founder.ts';
import { navigation } from '../content/navigation.ts';
import { packages } from '../content/packages.ts';
import { process } from '../content/process.ts';
import { questions } from '../content/questions.ts';
import { site } from '../content/site.ts';
import { solution } from '../content/solution.ts';
import type { Assets } from '../ui/assets.ts';
import { dollars, facts, fill, filled } from '../ui/words.ts';

/** The page's facts for programs that answer questions about it, as Markdown after llmstxt.org. */
export function llmsTxt({ siteUrl, contactEmail }: Assets): string {
  const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n');
  const address = (id: string) => `${siteUrl ?? ''}/#${id}`;
  return filled(
    [
      `# ${brand.name}`,
      `> ${site.description}`,
      list([
        `${founder.name ? `Founder: ${founder.name}. ` : ''}${contact.place}`,
        `Clients: ${business.serves}`,
        `Write to ${contactEmail}, or use the form at ${address(navigation.callToAction.id)}; a reply comes {reply}.`,
      ]),
      ...founder.bio,
      `## ${packages.heading}`,
      packages.lead,
      ...filled(packages.items, facts).map(({ title, purpose, price, timeline, effort, features, outcome }) =>
        [
          `### ${title}: ${dollars(price)} {currency}`,
          purpose,
          list([
            `${fill(packages.timeline, { weeks: timeline })}, ${fill(packages.effort, { hours: effort })}`,
            `${packages.includedLabel}: ${features.join(', ')}`,
            `${packages.outcomeLabel}: ${outcome}`,
          ]),
        ].join('\n\n'),
      ),
      `## ${solution.heading}`,
      list(solution.items.map(({ title, text }) => `${title}: ${text}`)),
      `## ${process.heading}`,
      list(process.steps.map(({ title, text }) => `${title}: ${text}`)),
      `## ${questions.heading}`,
      ...questions.items.map(({ question, answer }) => `### ${question}\n\n${answer}`),
      '## Links',
      list(navigation.links.map(({ label, id }) => `[${label}](${address(id)})`)),
      '',
    ].join('\n\n'),
  ).replace(/\n+$/, '\n');
}
