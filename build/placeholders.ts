import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEFAULT_ANON_KEY } from '../contract/contact.ts';
import { isThisMachine } from '../settings/near.ts';
import type { Settings } from '../settings/settings.ts';
import { CONTENT, founderFiles } from './founder-file.ts';
import { ROOT } from './vite.ts';

/** Something that came with the project and the owner hasn't replaced yet. */
export interface Placeholder {
  /** What it is and why it matters, in one sentence. */
  what: string;
  /** What to do about it, in one sentence. */
  todo: string;
}

type PageSettings = Pick<Settings, 'siteUrl' | 'contactEmail' | 'supabaseUrl' | 'supabaseAnonKey'>;

/**
 * Everything that the owner still has to replace. Doesn't need the build tools, so that it runs where only the server
 * is installed. Without the page's sources, it only checks the settings.
 *
 * @param folder the page's text and photo
 */
export async function findPlaceholders(
  settings: PageSettings,
  folder: string = join(ROOT, CONTENT),
): Promise<Placeholder[]> {
  return [...placeholderSettings(settings), ...(await placeholderContent(folder))];
}

function placeholderSettings(settings: PageSettings): Placeholder[] {
  const { siteUrl, contactEmail, supabaseUrl, supabaseAnonKey } = settings;
  const found: Placeholder[] = [];
  if (!siteUrl) {
    found.push({
      what: 'SITE_URL is empty, so search engines and shared links are not told the page’s address, and there is no sitemap.',
      todo: 'Set SITE_URL in .env to the public address, such as https://www.your-domain.ca.',
    });
  } else if (!publicAddress(settings)) {
    found.push({
      what: `SITE_URL is ${siteUrl}, which only this machine can open; the page is built as if it were empty.`,
      todo: 'Set SITE_URL in .env to the public address, such as https://www.your-domain.ca.',
    });
  } else if (isExample(new URL(siteUrl).hostname)) {
    found.push({
      what: `SITE_URL is ${siteUrl}, an address that belongs to nobody.`,
      todo: 'Set SITE_URL in .env to the public address of your own page.',
    });
  }
  if (isExample(contactEmail.slice(contactEmail.lastIndexOf('@') + 1))) {
    found.push({
      what: `The page shows ${contactEmail}, an address that reaches nobody.`,
      todo: 'Set CONTACT_EMAIL in .env to your own address.',
    });
  }
  if (supabaseUrl && supabaseAnonKey === DEFAULT_ANON_KEY) {
    found.push({
      what: 'VITE_SUPABASE_URL names a project, but the key is the one of the embedded server, which that project refuses.',
      todo: 'Set VITE_SUPABASE_ANON_KEY in .env to the project’s public key.',
    });
  }
  return found;
}

async function placeholderContent(folder: string): Promise<Placeholder[]> {
  const files = await founderFiles(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!files) return [];
  const found: Placeholder[] = [];
  const founder = await contentOf(folder, 'founder.ts', 'founder');
  if (founder && files.length === 0) {
    found.push({
      what: 'The founder’s portrait is a drawing.',
      todo: `Put your photo at ${CONTENT}/founder.jpg; any size and format will do.`,
    });
  }
  if (typeof founder?.name === 'string' && founder.name.trim() === '') {
    found.push({
      what: 'The founder has no name, so the page says “your consultant” and search engines learn of no person.',
      todo: `Write your name in ${CONTENT}/founder.ts.`,
    });
  }
  const footer = await contentOf(folder, 'footer.ts', 'footer');
  const empty = Object.values(footer?.legal ?? {}).filter(({ href }) => href === '#');
  if (empty.length > 0) {
    const labels = empty.map(({ label }) => `“${label}”`).join(' and ');
    found.push({
      what: `${labels} at the foot of the page ${empty.length === 1 ? 'leads' : 'lead'} nowhere.`,
      todo: `Put the address of each page in place of "#" in ${CONTENT}/footer.ts.`,
    });
  }
  return found;
}

/** The content that's on disk now. Mistakes in it are reported by check-content.ts. */
async function contentOf(
  folder: string,
  file: string,
  name: string,
): Promise<Record<string, unknown> | undefined> {
  const address = `${pathToFileURL(join(folder, file)).href}?at=${process.hrtime.bigint()}`;
  return import(address).then(
    (module) => module[name],
    () => undefined,
  );
}

/** The page's address for other people. `localhost` would lead them to their own machine. */
export function publicAddress({ siteUrl }: Pick<Settings, 'siteUrl'>): string | undefined {
  return siteUrl && !isThisMachine(new URL(siteUrl).hostname) ? siteUrl : undefined;
}

/** Names that RFC 2606 reserves for examples. */
export function isExample(hostname: string): boolean {
  return /(^|\.)(example(\.(com|net|org))?|test|invalid)$/i.test(hostname);
}
