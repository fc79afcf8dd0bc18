/** For text, and for attribute values in single or double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The page's colours, light and dark. A test compares them with the page's tokens. */
export const PALETTE = {
  ground: ['#edf2f9', '#06183f'],
  sheet: ['#fafcff', '#0a2258'],
  ink: ['#0a1a3a', '#f5f9ff'],
  'ink-quiet': ['#33436a', '#c9d8f5'],
  label: ['#1b4aa0', '#a9c8ff'],
  line: ['#1d4fae', '#9dc0ff'],
  signal: ['#ff6b1a', '#ff7a2b'],
  'signal-ink': ['#0a1a3a', '#0a1a3a'],
} as const;
type TextColour = 'ink' | 'ink-quiet' | 'label';

/** The light theme goes inline, since some mail programs strip `<style>`. */
const light = (name: keyof typeof PALETTE) => PALETTE[name][0];
const textStyle = (colour: TextColour, style: string) =>
  `class="t-${colour}" style="color:${light(colour)};${style}"`;

const FONTS = "Archivo,-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const BREAKING = 'overflow-wrap:anywhere;word-break:break-word';
/** Each line gets its own direction: an Arabic line below an English one starts at the right. */
const ANY_SCRIPT = `unicode-bidi:plaintext;text-align:start;${BREAKING}`;

/** Outlook on the web marks its dark theme with an attribute instead of a media query. */
function dark(within: string): string {
  const colour = (name: keyof typeof PALETTE) => `${PALETTE[name][1]}!important`;
  const texts = (['ink', 'ink-quiet', 'label'] as const).map((name) => `.t-${name}{color:${colour(name)}}`);
  const rules = `.ground{background-color:${colour('ground')}}.sheet{background-color:${colour('sheet')}}.sheet,.line{border-color:${colour('line')}}.fill{background-color:${colour('signal')}}.fill a{color:${colour('signal-ink')}}`;
  return (rules + texts.join('')).replace(/(?<=^|\}|,)\./g, `${within}.`);
}

/**
 * Progressive enhancement: narrow screens and the dark theme. In separate blocks, since some mail programs drop a
 * whole block over one unknown selector.
 */
const STYLES = [
  `:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;text-size-adjust:100%}
@media (max-width:480px){.outer{padding:0!important}.pad{padding-left:20px!important;padding-right:20px!important}.sheet{border-left:0!important;border-right:0!important}.cell{display:block!important;width:auto!important;border-left:0!important}.cell+.cell{border-top:1px solid ${light('line')}}.button{width:100%!important}.button a{display:block!important;text-align:center!important}}
@media (prefers-color-scheme:dark){${dark('')}}`,
  dark('[data-ogsc] '),
  // Apple Mail turns dates and addresses into links.
  'a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}',
];

/** A piece of a mail in both forms; the plain one may be empty. `padding` is in pixels, above and below. */
export type Part = { html: string; text: string; padding: [above: number, below: number] };

type Sheet = {
  /** Text that inboxes show next to the subject. */
  preheader: string;
  /** Text on the left and right of the header. */
  head: [string, string];
  parts: Part[];
  /** At the bottom, as on a technical drawing. */
  titleBlock: [label: string, text: string][];
  /** Only in the plain form, at its end, as are the lines of the title block. */
  end?: string | undefined;
  /** Below all of it, in both forms. The addresses must be safe. */
  links?: readonly Link[];
};

type Link = readonly [words: string, href: string];

/** Invisible, so that the inbox doesn't show the body's first words after the preheader. */
const FILL = '&#847;&zwnj;&nbsp;'.repeat(80);

export function drawSheet(sheet: Sheet): { text: string; html: string } {
  const { parts, titleBlock, end, links = [] } = sheet;
  const rows = [...titleBlock, ...links].map(([label, text]) => `${label}: ${text}`);
  const lines = [...(end ? [end] : []), ...rows];
  const paragraphs = parts.flatMap(({ text }) => (text ? [text] : []));
  // Mail programs leave out of a reply what's below the line of two dashes and a space.
  return { text: `${paragraphs.join('\n\n')}\n\n-- \n${lines.join('\n')}\n`, html: mailHtml(sheet) };
}

/**
 * A mail that looks like a sheet of the page's drawings. Made of tables, which every mail program lays out the same
 * way. It loads nothing, so nobody can tell that it was opened.
 */
function mailHtml({ preheader, head, parts, titleBlock, links = [] }: Sheet): string {
  const label = textStyle(
    'label',
    `font-size:12px;line-height:16px;font-weight:700;letter-spacing:.06em;text-transform:uppercase`,
  );
  const cells = titleBlock.map(([name, text], index) => {
    const border = index === 0 ? '' : `;border-left:1px solid ${light('line')}`;
    return `<td class="pad line cell" width="${Math.round(100 / titleBlock.length)}%" valign="top" style="padding:14px 32px 18px${border}">
<strong ${label}>${escapeHtml(name)}</strong>
<div ${textStyle('ink', `padding-top:4px;font-size:15px;line-height:22px;${BREAKING}`)}>${timeHtml(text)}</div>
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
<body class="ground" style="margin:0;padding:0;background-color:${light('ground')}">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(preheader)}${FILL}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${light('ground')}" style="background-color:${light('ground')}">
<tr><td class="outer" align="center" style="padding:32px 16px;font-family:${FONTS}">
<!--[if mso]><table role="presentation" width="640" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${light('sheet')}" style="max-width:640px;background-color:${light('sheet')};border:1px solid ${light('line')};text-align:left;font-family:${FONTS}">
<tr><td class="pad line" style="padding:12px 32px 11px;border-bottom:1px solid ${light('line')}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
<td><strong ${label}>${escapeHtml(head[0])}</strong></td>
<td align="right"><strong ${label}>${escapeHtml(head[1])}</strong></td>
</tr></table>
</td></tr>
${parts.map(rowHtml).join('\n')}
<tr><td class="line" style="border-top:1px solid ${light('line')}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="font-family:${FONTS}"><tr>
${cells.join('\n')}
</tr></table>
</td></tr>
</table>
${links.length > 0 ? linksHtml(links) : ''}
<!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`;
}

/** Each is as high as a thumb needs. */
const linksHtml = (links: readonly Link[]) =>
  `<p style="margin:0;padding:8px 0">${links
    .map(
      ([words, href]) =>
        `<a href="${escapeHtml(href)}" ${textStyle('label', 'display:inline-block;padding:12px 16px;font-size:15px;line-height:20px;font-weight:600')}>${escapeHtml(words)}</a>`,
    )
    .join('')}</p>`;

const rowHtml = ({ html, padding: [above, below] }: Part) =>
  `<tr><td class="pad" style="padding:${above}px 32px ${below}px">
${html}
</td></tr>`;

/** Keeps the time and time zone from `describeTime` on one line. */
const timeHtml = (text: string) =>
  escapeHtml(text).replace(/at \d.*$/, '<span style="white-space:nowrap">$&</span>');

/** Uses `<br>`, since some mail programs don't know `pre-wrap`, which keeps the spaces within a line. */
const linesHtml = (text: string) => escapeHtml(text).replaceAll('\n', '<br>');

/** @param style of the type, and what else is special */
const paragraph = (colour: TextColour, [size, height]: readonly [number, number], html: string, style = '') =>
  `<p dir="auto" ${textStyle(colour, `margin:0;font-size:${size}px;line-height:${height}px;${ANY_SCRIPT}${style}`)}>${html}</p>`;

/** What a stranger typed is shown as text, never as a link, except for `below` with an `href`, which must be safe. */
export function heading(title: string, below: string, { href = '', more = [] as string[] } = {}): string {
  const size = title.length > 40 ? 'font-size:20px;line-height:27px' : 'font-size:28px;line-height:34px';
  const style = textStyle('ink', `margin:0;${size};font-weight:800;letter-spacing:-.01em;${ANY_SCRIPT}`);
  const link = `<a href="${escapeHtml(href)}" ${textStyle('label', 'text-decoration:underline')}>${escapeHtml(below)}</a>`;
  const lines = [href ? link : escapeHtml(below), ...more.map(linesHtml)];
  return `<h1 dir="auto" ${style}>${escapeHtml(title)}</h1>
${lines.map((html) => paragraph('ink-quiet', [16, 24], html, ';margin-top:4px')).join('\n')}`;
}

/** In small type, the first in bold and the last in a quieter colour. */
export function entry(bold: string, lines: string[], quiet = ''): string {
  const [first = '', ...others] = lines.map(escapeHtml);
  const shown = [bold ? `<strong>${escapeHtml(bold)}</strong> ${first}` : first, ...others];
  const all = shown.map((html) => paragraph('ink', [15, 22], html));
  return [...all, ...(quiet ? [paragraph('ink-quiet', [15, 22], escapeHtml(quiet))] : [])].join('\n');
}

/** What a visitor wrote; short ones in larger type. */
export const quotation = (text: string): string =>
  paragraph('ink', text.length <= 160 ? [20, 30] : [17, 27], linesHtml(text), ';white-space:pre-wrap');

/** An orange bar, as on the page; orange text wouldn't have enough contrast. */
export function warning(lines: string[]): Part {
  const signal = light('signal');
  const html = `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
<td class="fill" width="4" bgcolor="${signal}" style="width:4px;background-color:${signal}"></td>
<td style="padding:2px 0 2px 16px">
${lines.map((line, index) => paragraph('ink', [16, 24], escapeHtml(line), `;margin-top:${index && 8}px;font-weight:600`)).join('\n')}
</td></tr></table>`;
  return { html, text: lines.join('\n\n'), padding: [28, 0] };
}

/** Works in Outlook too. `href` must already be a safe link; it's only escaped here. */
export function button(href: string, words: string): string {
  const [signal, ink] = [light('signal'), light('signal-ink')];
  return `<table role="presentation" class="button" cellpadding="0" cellspacing="0" border="0"><tr>
<td class="fill" bgcolor="${signal}" style="background-color:${signal};border-radius:2px;mso-padding-alt:14px 36px">
<a href="${escapeHtml(href)}" style="display:inline-block;padding:14px 36px;color:${ink};font-size:17px;line-height:20px;font-weight:700;text-decoration:none;${BREAKING}">${escapeHtml(words)}</a>
</td></tr></table>`;
}
