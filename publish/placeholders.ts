import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_ANON_KEY } from '../contract/contact-message.ts';
import { isThisMachine } from '../settings/local-network.ts';
import { type Settings, shortPath } from '../settings/settings.ts';
import { CONTENT, founderFiles, laidOver, readOwn, readParts } from './words.ts';

/** Something that came with the project and the owner hasn't replaced yet. */
export interface Placeholder {
  /** What it's about, for those who look for one of them. */
  about: 'address' | 'email' | 'key' | 'photo' | 'name' | 'effort' | 'legal';
  /** What it is and why it matters, in one sentence. */
  what: string;
  /** What to do about it, in one sentence. */
  todo: string;
}

type PageSettings = Pick<
  Settings,
  'siteUrl' | 'contactEmail' | 'supabaseUrl' | 'supabaseAnonKey' | 'wordsDir'
>;

/**
 * Everything that the owner still has to replace. Doesn't need the build tools, so that it runs where only the server
 * is installed. Without the page's sources, it only checks the settings.
 *
 * @param content the words that came with the project
 */
export async function findPlaceholders(
  settings: PageSettings,
  content: string = CONTENT,
): Promise<Placeholder[]> {
  const found = placeholderSettings(settings);
  return existsSync(content) ? [...found, ...(await placeholderContent(settings.wordsDir, content))] : found;
}

function placeholderSettings(settings: PageSettings): Placeholder[] {
  const { siteUrl, contactEmail, supabaseUrl, supabaseAnonKey } = settings;
  const found: Placeholder[] = [];
  if (!siteUrl) {
    found.push({
      about: 'address',
      what: 'SITE_URL is empty, so search engines and shared links don’t know the page’s address, and there’s no sitemap.',
      todo: 'Set SITE_URL in .env to the public address, such as https://www.your-domain.ca.',
    });
  } else if (!publicAddress(settings)) {
    found.push({
      about: 'address',
      what: `SITE_URL is ${siteUrl}, which only this machine can open; the page is built as if it were empty.`,
      todo: 'Set SITE_URL in .env to the public address, such as https://www.your-domain.ca.',
    });
  } else if (isExample(new URL(siteUrl).hostname)) {
    found.push({
      about: 'address',
      what: `SITE_URL is ${siteUrl}, which is only an example.`,
      todo: 'Set SITE_URL in .env to the public address of your own page.',
    });
  }
  if (isExample(contactEmail.slice(contactEmail.lastIndexOf('@') + 1))) {
    found.push({
      about: 'email',
      what: `The page shows ${contactEmail}, where nobody gets mail.`,
      todo: 'Set CONTACT_EMAIL in .env to your own address.',
    });
  }
  if (supabaseUrl && supabaseAnonKey === DEFAULT_ANON_KEY) {
    found.push({
      about: 'key',
      what: 'VITE_SUPABASE_URL names a project, but the key is the one of the embedded server, which that project refuses.',
      todo: 'Set VITE_SUPABASE_ANON_KEY in .env to the project’s public key.',
    });
  }
  return found;
}

async function placeholderContent(wordsDir: string, content: string): Promise<Placeholder[]> {
  const todo = 'Open npm run desk, and change it under Words.';
  const found: Placeholder[] = [];
  // Mistakes in them are reported when they're published.
  const { own } = await readOwn(wordsDir).catch(() => ({ own: undefined }));
  if (!own) return [];
  const words = laidOver(await readParts(content), own) as Record<
    string,
    Record<string, unknown> | undefined
  >;
  const { founder, packages, footer } = words;
  if (founder && (await founderFiles(wordsDir)).length === 0) {
    found.push({
      about: 'photo',
      what: 'The founder’s portrait is a drawing.',
      todo: `Open npm run desk, and put your photo on it under Words, or save it as ${shortPath(join(wordsDir, 'founder.jpg'))}.`,
    });
  }
  if (typeof founder?.name === 'string' && founder.name.trim() === '') {
    found.push({
      about: 'name',
      what: 'The founder has no name, so the page doesn’t say who draws the plans, and search engines don’t know who you are.',
      todo,
    });
  }
  if (packages?.effortMeaning === '') {
    found.push({
      about: 'effort',
      what: 'The page doesn’t say whose hours a package’s effort is, or what they’re for.',
      todo,
    });
  }
  const empty = Object.entries(footer?.legal ?? {}).flatMap(([name, link]) =>
    link.href === '#' && words[name]?.on !== true ? [link] : [],
  );
  if (empty.length > 0) {
    const labels = empty.map(({ label }) => `“${label}”`).join(' and ');
    found.push({
      about: 'legal',
      what: `${labels} at the bottom of the page ${empty.length === 1 ? 'leads' : 'lead'} nowhere.`,
      todo: 'Open npm run desk, and under Words, fill in each page and turn it on.',
    });
  }
  return found;
}

/** The page's address for other people. `localhost` would lead them to their own machine. */
export function publicAddress({ siteUrl }: Pick<Settings, 'siteUrl'>): string | undefined {
  return siteUrl && !isThisMachine(new URL(siteUrl).hostname) ? siteUrl : undefined;
}

/** Names that RFC 2606 reserves for examples. */
export function isExample(hostname: string): boolean {
  return /(^|\.)(example(\.(com|net|org))?|test|invalid)$/i.test(hostname);
}
