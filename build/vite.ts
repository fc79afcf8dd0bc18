import { fileURLToPath } from 'node:url';
import type { InlineConfig, Plugin } from 'vite';
import type { Settings } from '../settings/settings.ts';
import { withFallbacks } from './fallbacks.ts';
import { contentFile, readWords } from './owners-words.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const BROWSER_ENTRY = 'site/islands/islands.ts';
export const RENDER_ENTRY = 'build/render.tsx';

/** Whether the first view needs a style file. Its name says so: `Hero.first.module.css`. */
export const isFirst = (path: string): boolean => /\.first\.(module\.)?css$/.test(path);

/** Shared by the browser's bundle, prerendering and the desk's preview. */
export function viteConfig(
  settings: Pick<Settings, 'contactEmail' | 'supabaseUrl' | 'supabaseAnonKey' | 'wordsDir'>,
): InlineConfig & { plugins: Plugin[] } {
  return {
    root: ROOT,
    configFile: false,
    // Off, since Vite would read `.env` itself, without the schema's checks.
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [withOwnWords(settings.wordsDir), withFallbacks],
    define: {
      'import.meta.env.VITE_SUPABASE_URL': JSON.stringify(settings.supabaseUrl ?? ''),
      // Not from the page's links, which some hosts rewrite so that no program finds the address.
      'import.meta.env.CONTACT_EMAIL': JSON.stringify(settings.contactEmail),
      'import.meta.env.VITE_SUPABASE_ANON_KEY': JSON.stringify(settings.supabaseAnonKey),
    },
  };
}

/** Gives the page each file of words with the owner's laid over, as plain values, so scripts carry no word twice. */
function withOwnWords(wordsDir: string): Plugin {
  return {
    name: 'own-words',
    async load(id) {
      const file = contentFile(id);
      if (!file) return null;
      const words = Object.entries(await readWords(file, wordsDir));
      return words.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n');
    },
  };
}
