import { createContext, use } from 'react';
import type { DrawingName } from '../drawings/files.tsx';

/** A picture's address and its size in CSS pixels. */
export interface Picture {
  src: string;
  width: number;
  height: number;
}

/** The owner's photo in several formats; `sources` from the most to the least modern. */
export interface Photo extends Picture {
  sources: { type: string; srcSet: string }[];
}

/** What the build made beside the HTML, and the settings that the page shows. */
export interface Assets {
  contactEmail: string;
  /** After so many days a message is erased in any case; undefined is never by itself. */
  retentionDays: number | undefined;
  siteUrl: string | undefined;
  /** What stands before every address of the site, such as `/operations`; empty at the root of a host. */
  basePath: string;
  /** The styles of the first view, which stand in the page itself. */
  css: string;
  /** The file of all other styles, and of the fonts. */
  laterCss: string;
  /** Without `integrity` in development, where it changes. */
  script: { src: string; integrity: string | undefined };
  /** The code of islands/after-first-paint.ts. */
  afterFirstPaint: string;
  /** What a page may load and do, for a page that hosts send where none of their headers says so. */
  policy: string;
  /** Files that the later styles ask for, to be fetched along with them. */
  fonts: string[];
  favicon: string;
  /** What links to the page show, 1200 by 630 px; without the base path, which is part of the public address. */
  sharePicture: string;
  /** For the bars that a browser sets around the page. */
  themeColors: { light: string; dark: string };
  drawings: Record<DrawingName, Picture>;
  /** null until the owner brings one. */
  founderPhoto: Photo | null;
}

const AssetsContext = createContext<Assets | null>(null);

export const AssetsProvider = AssetsContext.Provider;

export function useAssets(): Assets {
  const assets = use(AssetsContext);
  if (!assets) throw new Error('A section was rendered outside the build');
  return assets;
}
