import { escapeHtml } from './escape-html.ts';

/** The page's colours. A test compares them with the page's tokens. */
export const PALETTE = {
  light: {
    ground: '#edf2f9',
    sheet: '#fafcff',
    ink: '#0a1a3a',
    'ink-quiet': '#33436a',
    label: '#1b4aa0',
    line: '#1d4fae',
    rule: '#c2d0e6',
    signal: '#ff6b1a',
    'signal-ink': '#0a1a3a',
    'signal-line': '#d94a00',
  },
  dark: {
    ground: '#06183f',
    sheet: '#0a2258',
    ink: '#f5f9ff',
    'ink-quiet': '#c9d8f5',
    label: '#a9c8ff',
    line: '#9dc0ff',
    rule: '#2b4d94',
    signal: '#ff7a2b',
    'signal-ink': '#0a1a3a',
    'signal-line': '#ff8f4d',
  },
} as const;

const TEXT_COLOURS = ['ink', 'ink-quiet', 'label', 'signal-line'] as const;
export type TextColour = (typeof TEXT_COLOURS)[number];

const FONTS = "Archivo,-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";

export const BREAKING = 'overflow-wrap:anywhere;word-break:break-word';
/** Each line gets its own direction: an Arabic line below an English one starts at the right. */
export const ANY_SCRIPT = `unicode-bidi:plaintext;text-align:start;${BREAKING}`;

/** The light theme goes inline, since some mail programs strip `<style>`. */
export const textStyle = (colour: TextColour, style: string): string =>
  `class="t-${colour}" style="color:${PALETTE.light[colour]};${style}"`;

/**
 * Progressive enhancement: narrow screens and the dark theme. In separate blocks, since some mail programs drop a
 * whole block over one unknown selector.
 */
const STYLES = [
  `:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;text-size-adjust:100%}
@media (max-width:480px){.outer{padding:0!important}.pad{padding-left:20px!important;padding-right:20px!important}.sheet{border-left:0!important;border-right:0!important}.cell{display:block!important;width:auto!important;border-left:0!important}.cell+.cell{border-top:1px solid ${PALETTE.light.line}}.button{width:100%!important}.button a{display:block!important;text-align:center!important}}
@media (prefers-color-scheme:dark){${dark('')}}`,
  dark('[data-ogsc] '),
  // Apple Mail turns dates and addresses into links.
  'a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}',
];

/** Outlook on the web marks its dark theme with an attribute instead of a media query. */
function dark(within: string): string {
  const { ground, sheet, line, rule, signal } = PALETTE.dark;
  return [
    `${within}.ground{background-color:${ground}!important}`,
    `${within}.sheet{background-color:${sheet}!important;border-color:${line}!important}`,
    `${within}.line{border-color:${line}!important}`,
    `${within}.rule{border-color:${rule}!important}`,
    `${within}.fill{background-color:${signal}!important}`,
    `${within}.fill a{color:${PALETTE.dark['signal-ink']}!important}`,
    ...TEXT_COLOURS.map((colour) => `${within}.t-${colour}{color:${PALETTE.dark[colour]}!important}`),
  ].join('');
}

type Sheet = {
  /** Text that inboxes show next to the subject. */
  preheader: string;
  /** Text on the left and right of the header. */
  head: [string, string];
  /** Made by `row`. */
  rows: string[];
  /** At the bottom, as on a technical drawing. */
  titleBlock: [label: string, html: string][];
};

/** Invisible, so that the inbox doesn't show the body's first words after the preheader. */
const FILL = '&#847;&zwnj;&nbsp;'.repeat(80);

/**
 * A mail that looks like a sheet of the page's drawings. Made of tables, which every mail program lays out the same
 * way. It loads nothing, so nobody can tell that it was opened.
 */
export function mailHtml({ preheader, head, rows, titleBlock }: Sheet): string {
  const { light } = PALETTE;
  const label = textStyle(
    'label',
    `font-size:12px;line-height:16px;font-weight:700;letter-spacing:.06em;text-transform:uppercase`,
  );
  const cells = titleBlock.map(([name, html], index) => {
    const border = index === 0 ? '' : `;border-left:1px solid ${light.line}`;
    return `<td class="pad line cell" width="${Math.round(100 / titleBlock.length)}%" valign="top" style="padding:14px 32px 18px${border}">
<strong ${label}>${escapeHtml(name)}</strong>
<div ${textStyle('ink', `padding-top:4px;font-size:15px;line-height:22px;${BREAKING}`)}>${html}</div>
</td>`;
  });
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escapeHtml(head[0])}</title>
${STYLES.map((rules) => `<style>\n${rules}\n</style>`).join('\n')}
</head>
<body class="ground" style="margin:0;padding:0;background-color:${light.ground}">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(preheader)}${FILL}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${light.ground}" style="background-color:${light.ground}">
<tr><td class="outer" align="center" style="padding:32px 16px;font-family:${FONTS}">
<!--[if mso]><table role="presentation" width="640" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${light.sheet}" style="max-width:640px;background-color:${light.sheet};border:1px solid ${light.line};text-align:left;font-family:${FONTS}">
<tr><td class="pad line" style="padding:12px 32px 11px;border-bottom:1px solid ${light.line}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
<td><strong ${label}>${escapeHtml(head[0])}</strong></td>
<td align="right"><strong ${label}>${escapeHtml(head[1])}</strong></td>
</tr></table>
</td></tr>
${rows.join('\n')}
<tr><td class="line" style="border-top:1px solid ${light.line}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="font-family:${FONTS}"><tr>
${cells.join('\n')}
</tr></table>
</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`;
}

export function headingHtml(
  heading: string,
  below: string,
  size = 'font-size:28px;line-height:34px',
): string {
  return `<h1 dir="auto" ${textStyle('ink', `margin:0;${size};font-weight:800;letter-spacing:-.01em;${ANY_SCRIPT}`)}>${heading}</h1>
<p ${textStyle('ink-quiet', `margin:4px 0 0;font-size:16px;line-height:24px;${BREAKING}`)}>${below}</p>`;
}

export function row(html: string, padding: [above: number, below: number]): string {
  return `<tr><td class="pad" style="padding:${padding[0]}px 32px ${padding[1]}px">
${html}
</td></tr>`;
}

/** An orange bar, as on the page; orange text wouldn't have enough contrast. */
export function warningHtml(lines: string[]): string {
  const paragraphs = lines.map(
    (line, index) =>
      `<p ${textStyle('ink', `margin:${index === 0 ? 0 : 8}px 0 0;font-size:16px;line-height:24px;font-weight:600;${BREAKING}`)}>${escapeHtml(line)}</p>`,
  );
  const { signal } = PALETTE.light;
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
<td class="fill" width="4" bgcolor="${signal}" style="width:4px;background-color:${signal}"></td>
<td style="padding:2px 0 2px 16px">
${paragraphs.join('\n')}
</td></tr></table>`;
}

/** Works in Outlook too. `href` must already be a safe link; it's only escaped here. */
export function button(href: string, words: string): string {
  const { signal, 'signal-ink': ink } = PALETTE.light;
  return `<table role="presentation" class="button" cellpadding="0" cellspacing="0" border="0"><tr>
<td class="fill" bgcolor="${signal}" style="background-color:${signal};border-radius:2px;mso-padding-alt:14px 36px">
<a href="${escapeHtml(href)}" style="display:inline-block;padding:14px 36px;color:${ink};font-size:17px;line-height:20px;font-weight:700;text-decoration:none">${escapeHtml(words)}</a>
</td></tr></table>`;
}

export function commandHtml(command: string): string {
  return `<span style="font-family:${MONO};font-size:13px">${escapeHtml(command)}</span>`;
}

export function pageName(siteUrl: string | undefined): string {
  return siteUrl?.replace(/^https?:\/\//, '') ?? 'your website';
}

/** Keeps the time and time zone from `describeTime` on one line. */
export function timeHtml(time: string): string {
  return escapeHtml(time).replace(/at \d.*$/, '<span style="white-space:nowrap">$&</span>');
}
