import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vite';
import type { Settings } from '../settings/settings.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const BROWSER_ENTRY = 'site/islands/main.ts';
export const RENDER_ENTRY = 'build/render.tsx';

/** Whether the first view needs a style file. Its name says so: `Hero.first.module.css`. */
export const isFirst = (path: string): boolean => /\.first\.(module\.)?css$/.test(path);

/** Shared by the browser's bundle, prerendering and the development server. */
export function viteConfig(
  settings: Pick<Settings, 'supabaseUrl' | 'supabaseAnonKey' | 'basePath'>,
): InlineConfig {
  return {
    root: ROOT,
    configFile: false,
    // Off, since Vite would read `.env` itself, without the schema's checks.
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    define: {
      'import.meta.env.VITE_SUPABASE_URL': JSON.stringify(settings.supabaseUrl ?? settings.basePath),
      'import.meta.env.VITE_SUPABASE_ANON_KEY': JSON.stringify(settings.supabaseAnonKey),
    },
  };
}
