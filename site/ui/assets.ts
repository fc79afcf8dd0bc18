import { createContext, use } from 'react';
import type { DrawingName } from '../drawings/files.tsx';

/** A picture's address and its size in CSS pixels. */
export interface Picture {
  src: string;
  width: number;
  height: number;
}

/** The settings that the page shows or uses. */
export interface Shown {
  contactEmail: string;
  siteUrl: string | undefined;
  /** Where the form is sent, if not to the page's own server; without a trailing slash. */
  supabaseUrl: string | undefined;
  supabaseAnonKey: string;
  /** Messages are erased after this many days; undefined means never. */
  retentionDays: number | undefined;
  /** Other machines that handle a message, by their names. */
  handlers: { mailHost: string | undefined; storeHost: string | undefined };
}

/** What the page is made of besides its words. */
export interface Assets extends Shown {
  /** The styles of the first view, inlined in the page. */
  css: string;
  /** The file with all other styles, and the fonts. */
  laterCss: string;
  script: string;
  /** The code of islands/after-first-paint.ts. */
  afterFirstPaint: string;
  /** The page's own content security policy, for hosts that send pages without our headers. */
  policy: string;
  /** Files the later styles need, fetched along with them. */
  fonts: string[];
  favicon: string;
  /** What links to the page show, 1200 by 630 px. */
  sharePicture: string;
  /** For the browser's bars around the page. */
  themeColors: { light: string; dark: string };
  drawings: Record<DrawingName, Picture>;
  /** null until the owner adds one. */
  founderPhoto: Picture | null;
}

const AssetsContext = createContext<Assets | null>(null);

export const AssetsProvider = AssetsContext.Provider;

export function useAssets(): Assets {
  const assets = use(AssetsContext);
  if (!assets) throw new Error('A section was rendered outside the build');
  return assets;
}
