import { brand } from '../content/business.ts';
import { site } from '../content/site.ts';
import type { Assets } from '../ui/assets.ts';
import { filled } from '../ui/words.ts';

/** `src` from the folder of the page, `size` in pixels; a maskable one may be cut to any shape. */
export interface Icon {
  src: string;
  size: number;
  maskable: boolean;
}

/** What a phone needs to keep the page on its home screen: W3C's Web Application Manifest. */
export function manifest({ basePath, favicon, themeColors }: Assets, icons: Icon[]) {
  return {
    name: brand.name,
    short_name: brand.name,
    description: filled(site.description),
    lang: site.language,
    // From where the manifest is, so that the page may lie below any path.
    id: './',
    start_url: './',
    scope: './',
    display: 'minimal-ui',
    theme_color: themeColors.light,
    background_color: themeColors.light,
    icons: [
      { src: favicon.slice(basePath.length + 1), sizes: 'any', type: 'image/svg+xml' },
      ...icons.map(({ src, size, maskable }) => ({
        src,
        sizes: `${size}x${size}`,
        type: 'image/png',
        ...(maskable && { purpose: 'maskable' }),
      })),
    ],
  };
}
