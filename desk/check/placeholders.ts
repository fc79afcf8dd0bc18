import { join } from 'node:path';
import { DEFAULT_ANON_KEY } from '../../contract/contact-message.ts';
import { publicAddress } from '../../publish/publish.ts';
import { founderFiles, laidOver, readOwn, readParts } from '../../publish/words.ts';
import { type Settings, shortPath } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('mine', 'placeholders', 'Still to do');

/** What came with the project and the owner hasn't replaced yet. */
export const placeholders: Check = {
  about: subject,
  needs: ['SITE_URL', 'CONTACT_EMAIL'],
  run: async ({ settings }) => {
    const found = [...ofSettings(settings), ...(await ofWords(settings.wordsDir))];
    return found.length > 0 ? found : [subject.ok('Nothing: no examples are left on the page.')];
  },
};

const ADDRESS = 'Set SITE_URL in .env to the public address, such as https://www.your-domain.ca.';

function ofSettings(settings: Settings): Finding[] {
  const { siteUrl, contactEmail, supabaseUrl, supabaseAnonKey } = settings;
  const found: Finding[] = [];
  if (!siteUrl) {
    const what =
      'SITE_URL is empty, so search engines and shared links don’t know the page’s address, and there’s no sitemap.';
    found.push(subject.look(what, ADDRESS));
  } else if (!publicAddress(settings)) {
    const what = `SITE_URL is ${siteUrl}, which only this machine can open; the page is built as if it were empty.`;
    found.push(subject.look(what, ADDRESS));
  } else if (isExample(new URL(siteUrl).hostname)) {
    found.push(subject.look(`SITE_URL is ${siteUrl}, which is only an example.`, ADDRESS));
  }
  if (isExample(contactEmail.slice(contactEmail.lastIndexOf('@') + 1))) {
    const what = `The page shows ${contactEmail}, where nobody gets mail.`;
    found.push(subject.look(what, 'Set CONTACT_EMAIL in .env to your own address.'));
  }
  if (supabaseUrl && supabaseAnonKey === DEFAULT_ANON_KEY) {
    const what =
      'VITE_SUPABASE_URL names a project, but the key is the one of the embedded server, which that project refuses.';
    found.push(subject.look(what, 'Set VITE_SUPABASE_ANON_KEY in .env to the project’s public key.'));
  }
  return found;
}

type Words = {
  founder: { name: string };
  packages: { effortMeaning: string };
  footer: { legal: Record<string, { label: string; href: string }> };
} & Record<string, { on?: boolean } | undefined>;

const CHANGE = 'Open npm run desk, and change it under Words.';

async function ofWords(wordsDir: string): Promise<Finding[]> {
  // Mistakes in them are reported when they're published.
  const { own } = await readOwn(wordsDir).catch(() => ({ own: undefined }));
  if (!own) return [];
  const words = laidOver(await readParts(), own) as Words;
  const { founder, packages, footer } = words;
  const found: Finding[] = [];
  if ((await founderFiles(wordsDir)).length === 0) {
    const file = shortPath(join(wordsDir, 'founder.jpg'));
    const todo = `Open npm run desk, and put your photo on it under Words, or save it as ${file}.`;
    found.push(subject.look('The founder’s portrait is a drawing.', todo));
  }
  if (founder.name.trim() === '') {
    const what =
      'The founder has no name, so the page doesn’t say who draws the plans, and search engines don’t know who you are.';
    found.push(subject.look(what, CHANGE));
  }
  if (packages.effortMeaning === '') {
    const what = 'The page doesn’t say whose hours a package’s effort is, or what they’re for.';
    found.push(subject.look(what, CHANGE));
  }
  const empty = Object.entries(footer.legal).filter(([name, { href }]) => href === '#' && !words[name]?.on);
  if (empty.length > 0) {
    const labels = empty.map(([, { label }]) => `“${label}”`).join(' and ');
    const what = `${labels} at the bottom of the page ${empty.length === 1 ? 'leads' : 'lead'} nowhere.`;
    const todo = 'Open npm run desk, and under Words, fill in each page and turn it on.';
    found.push(subject.look(what, todo));
  }
  return found;
}

/** Names that RFC 2606 reserves for examples. */
export function isExample(hostname: string): boolean {
  return /(^|\.)(example(\.(com|net|org))?|test|invalid)$/i.test(hostname);
}
