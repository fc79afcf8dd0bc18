import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vite';
import type { Settings } from '../settings/settings.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const BROWSER_ENTRY = 'site/islands/main.ts';
export const RENDER_ENTRY = 'build/render.tsx';

/** Whether a style file says by its name, such as `Hero.first.module.css`, that the first view needs it. */
export const isFirst = (path: string): boolean => /\.first\.(module\.)?css$/.test(path);

/** What the browser bundle, the prerendering and the development server share. */
export function viteConfig(
  settings: Pick<Settings, 'supabaseUrl' | 'supabaseAnonKey' | 'basePath'>,
): InlineConfig {
  return {
    root: ROOT,
    configFile: false,
    // Vite would read `.env` by itself, past the schema; the settings arrive checked instead.
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    define: {
      'import.meta.env.VITE_SUPABASE_URL': JSON.stringify(settings.supabaseUrl ?? settings.basePath),
      'import.meta.env.VITE_SUPABASE_ANON_KEY': JSON.stringify(settings.supabaseAnonKey),
    },
  };
}
