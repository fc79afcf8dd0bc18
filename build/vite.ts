import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InlineConfig, Plugin } from 'vite';
import type { Settings } from '../settings/settings.ts';
import { CONTENT, contentFile, ownSource, readWords } from './owners-words.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const BROWSER_ENTRY = 'site/islands/islands.ts';
export const RENDER_ENTRY = 'build/render.tsx';

/** Whether the first view needs a style file. Its name says so: `Hero.first.module.css`. */
export const isFirst = (path: string): boolean => /\.first\.(module\.)?css$/.test(path);

/** Shared by the browser's bundle, prerendering and the development server. */
export function viteConfig(
  settings: Pick<Settings, 'supabaseUrl' | 'supabaseAnonKey' | 'basePath' | 'wordsDir'>,
): InlineConfig & { plugins: Plugin[] } {
  return {
    root: ROOT,
    configFile: false,
    // Off, since Vite would read `.env` itself, without the schema's checks.
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [withOwnWords(settings.wordsDir)],
    define: {
      'import.meta.env.VITE_SUPABASE_URL': JSON.stringify(settings.supabaseUrl ?? settings.basePath),
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
      if (!file || (await ownSource(wordsDir, file)) === undefined) return null;
      return Object.entries(await readWords(file, wordsDir))
        .map(([name, words]) => `export const ${name} = ${JSON.stringify(words)};`)
        .join('\n');
    },
    configureServer: ({ watcher }) => void watcher.add(wordsDir),
    // A file of the owner's that comes, changes or goes changes ours; a photo counts as founder.ts.
    hotUpdate({ file, modules }) {
      const name = relative(wordsDir, file);
      if (name !== basename(file)) return modules;
      const [part = ''] = name.split('.', 1);
      const module = this.environment.moduleGraph.getModuleById(join(CONTENT, `${part.toLowerCase()}.ts`));
      return module ? [module] : modules;
    },
  };
}
