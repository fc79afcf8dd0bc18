import { footer } from '../content/footer.ts';
import { privacy, terms } from '../content/legal-pages.ts';

const pages = { terms, privacy };

/** The legal pages that are part of this site, each with its path. */
export const legalPages = Object.entries(pages).filter(([, { on }]) => on);

/** Where a link to one leads: to the owner's own address, the page here, or nowhere. */
export function legalHref(name: keyof typeof pages): string {
  const { href } = footer.legal[name];
  return href === '#' && pages[name].on ? `/${name}` : href;
}
