import type { ReactNode } from 'react';
import { brand } from './content/business.ts';
import { hero } from './content/hero.ts';
import { site } from './content/site.ts';
import { Mark } from './drawings/Mark.tsx';
import { pageData } from './machine-readable/page-data.ts';
import { structuredData } from './machine-readable/structured-data.ts';
import { useAssets } from './ui/assets.ts';

interface DocumentProps {
  title: string;
  /** For a legal page: where it is below the site's address. */
  path?: string;
  /** Undefined on pages that search engines mustn't index. */
  description?: string;
  children: ReactNode;
}

export function Document({ title, path = '', description, children }: DocumentProps) {
  const assets = useAssets();
  const { css, script, afterFirstPaint, favicon, policy, siteUrl, themeColors } = assets;
  return (
    <html lang={site.language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>{`${title} – ${brand.name}`}</title>
        {description ? (
          <meta name="description" content={description} />
        ) : (
          <>
            <meta httpEquiv="Content-Security-Policy" content={policy} />
            <meta name="robots" content="noindex" />
          </>
        )}
        {description && siteUrl && (
          <ShareTags title={title} description={description} address={`${siteUrl}/${path}`} />
        )}
        <meta name="theme-color" media="(prefers-color-scheme:dark)" content={themeColors.dark} />
        <meta name="theme-color" content={themeColors.light} />
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the build's own stylesheet; React would escape its quotes */}
        <style dangerouslySetInnerHTML={{ __html: css }} />
        {/* Browsers that don't support SVG here ask for /favicon.ico by themselves. */}
        <link rel="icon" href={favicon} type="image/svg+xml" />
        {description && !path ? (
          <>
            <Data type="application/ld+json" value={structuredData(assets)} />
            <Data id="page-data" type="application/json" value={pageData(assets)} />
            {/* Inert where scripts run, until the next script loads it. */}
            <noscript>
              <Links />
            </noscript>
            <script
              data-src={script}
              // biome-ignore lint/security/noDangerouslySetInnerHtml: the build's own script; React would escape its quotes
              dangerouslySetInnerHTML={{ __html: afterFirstPaint }}
            />
          </>
        ) : (
          <Links />
        )}
      </head>
      <body>
        {/* Here, so that the header's script needn't carry it. */}
        <svg className="visually-hidden" aria-hidden="true">
          <Mark id="mark" />
        </svg>
        {children}
      </body>
    </html>
  );
}

/** What the first view can do without. */
function Links() {
  const { fonts, laterCss } = useAssets();
  return (
    <>
      <link rel="stylesheet" href={laterCss} />
      {fonts.map((font) => (
        <link key={font} rel="preload" as="font" href={font} crossOrigin="" />
      ))}
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
    </>
  );
}

/** Only with a public address: shared links mustn't point at localhost. */
function ShareTags({ title, description, address }: Record<'title' | 'description' | 'address', string>) {
  const { siteUrl, sharePicture } = useAssets();
  return (
    <>
      <link rel="canonical" href={address} />
      <meta property="og:type" content="website" />
      <meta property="og:url" content={address} />
      <meta property="og:site_name" content={brand.name} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:image" content={`${siteUrl}${sharePicture}`} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={hero.drawing} />
      <meta property="og:locale" content={site.language.replace('-', '_')} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}

/** Browsers neither show nor run it. */
function Data({ value, ...attributes }: { value: unknown; type: string; id?: string }) {
  // No text may close the script element early.
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own data; React would escape its quotes
  return <script {...attributes} dangerouslySetInnerHTML={{ __html: json }} />;
}
