import { html, raw } from 'hono/html';

/** For text, and for attribute values in single or double quotes. */
export const escapeHtml = (text: string): string => String(html`${text}`);
type Html = ReturnType<typeof html>;

/** The page's colours, light and dark. A test compares them with the page's tokens. */
export const PALETTE = {
  ground: ['#edf2f9', '#06183f'],
  sheet: ['#fafcff', '#0a2258'],
  ink: ['#0a1a3a', '#f5f9ff'],
  'ink-quiet': ['#33436a', '#c9d8f5'],
  label: ['#1b4aa0', '#a9c8ff'],
  line: ['#1d4fae', '#9dc0ff'],
  rule: ['#c2d0e6', '#2b4d94'],
  signal: ['#ff6b1a', '#ff7a2b'],
  'signal-ink': ['#0a1a3a', '#0a1a3a'],
  inverse: ['#143f94', '#eaf2ff'],
  'inverse-ink': ['#ffffff', '#0a1a3a'],
} as const;
const TEXT_COLOURS = ['ink', 'ink-quiet', 'label'] as const;
type TextColour = (typeof TEXT_COLOURS)[number];

/** The light theme goes inline, since some mail programs strip `<style>`. */
const light = (name: keyof typeof PALETTE) => PALETTE[name][0];
const textStyle = (colour: keyof typeof PALETTE, style: string) =>
  html`class="t-${colour}" style="color:${light(colour)};${style}"`;

const FONTS = raw("Archivo,-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif");
const BREAKING = 'overflow-wrap:anywhere;word-break:break-word';
/** Each line gets its own direction: an Arabic line below an English one starts at the right. */
const ANY_SCRIPT = `unicode-bidi:plaintext;text-align:start;${BREAKING}`;

/** Outlook on the web marks its dark theme with an attribute instead of a media query. */
function dark(within: string): string {
  const colour = (name: keyof typeof PALETTE) => `${PALETTE[name][1]}!important`;
  const texts = TEXT_COLOURS.map((name) => `.t-${name}{color:${colour(name)}}`);
  const rules = `.ground{background-color:${colour('ground')}}.sheet{background-color:${colour('sheet')}}.sheet,.line{border-color:${colour('line')}}.sheet div,.sheet p{border-color:${colour('rule')}}.fill{background-color:${colour('signal')}}.fill a{color:${colour('signal-ink')}}.main{background-color:${colour('inverse')}}.main a{color:${colour('inverse-ink')}}`;
  return (rules + texts.join('')).replace(/(?<=^|\}|,)\./g, `${within}.`);
}

/** Progressive enhancement, in separate blocks, since some mail programs drop a whole one over an unknown selector. */
const STYLES = [
  `:root{color-scheme:light dark;supported-color-schemes:light dark}
body{-webkit-text-size-adjust:100%;text-size-adjust:100%}
@media (max-width:480px){.outer{padding:0!important}.pad{padding-left:20px!important;padding-right:20px!important}.sheet{border-width:0 0 1px!important}.cell{display:block!important;padding:0 0 12px!important}.button{width:100%!important}.button a{display:block!important;text-align:center!important}}
@media (prefers-color-scheme:dark){${dark('')}}`,
  dark('[data-ogsc] '),
  // Apple Mail turns dates and addresses into links.
  'a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}',
];

/** A piece of a mail in both its forms. */
type Part = {
  text?: string;
  html: Html;
  /** What goes in the lines of the text that a reply leaves out. */
  below?: string;
  /** Its distance from the part before it, in pixels. */
  above?: number;
};

export type Sheet = {
  /** What inboxes show next to the subject. */
  preheader: string;
  title: string;
  page: string;
  /** When an answer is due: in the header, in place of the page. */
  due?: string;
  isLate?: boolean;
  parts: readonly (Part | '' | undefined)[];
  titleBlock: Record<string, string>;
};

const labelled = (colour: keyof typeof PALETTE) =>
  textStyle(
    colour,
    'font-size:12px;line-height:16px;font-weight:700;letter-spacing:.06em;text-transform:uppercase',
  );
/** Invisible, so that the inbox doesn't show the body's first words after the preheader. */
const FILL = raw('&#847;&zwnj;&nbsp;'.repeat(80));
/** The page's mark as a character: a picture would be loaded, or blocked. */
const HEXAGON = raw('<span aria-hidden="true" style="font-size:16px">&#11042;</span>&ensp;');
const SIGNAL = light('signal');

/** Every mail program lays tables out the same way. */
const table = (attributes: string, rows: Html, style: Html | string = '') =>
  html`<table role="presentation"${raw(attributes)} cellpadding="0" cellspacing="0" border="0"${style}>${rows}</table>`;
const WIDE = ' width="100%"';

/** Looks like the page's drawings. Loads nothing, or it would tell when it's opened; what a stranger typed is never a link. */
export function drawSheet({ preheader, title, page, due, isLate, ...sheet }: Sheet): {
  text: string;
  html: string;
} {
  const titleBlock = Object.entries(sheet.titleBlock);
  const parts = sheet.parts.filter((part) => !!part);
  const texts = [due, ...parts.map(({ text }) => text)].filter(Boolean);
  const pairs = titleBlock.map((pair) => pair.join(': '));
  const below = [...parts.map((part) => part.below), ...pairs].filter(Boolean);
  // Replies leave out what's below a line of two dashes and a space.
  const text = `${texts.join('\n\n')}\n\n-- \n${below.join('\n')}\n`;
  const [label, ink] = isLate ? (['signal-ink', 'signal-ink'] as const) : (['label', 'ink'] as const);
  const right = due ? textStyle(ink, 'font-size:16px;line-height:22px;font-weight:700') : labelled(label);
  const header = html`<tr>
<td><strong ${labelled(label)}>${HEXAGON}${title}</strong></td>
<td align="right"><strong ${right}>${due ?? page}</strong></td>
</tr>`;
  const facts = titleBlock.map(([name, said]) =>
    paragraph('ink-quiet', 14, html`<strong>${name}</strong> ${said}`),
  );
  const drawn = html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${title}</title>
${STYLES.map((rules) => html`<style>\n${rules}\n</style>\n`)}
</head>
<body class="ground" style="margin:0;padding:0;background-color:${light('ground')}">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${preheader}${FILL}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${light('ground')}" style="background-color:${light('ground')}">
<tr><td class="outer" align="center" style="padding:32px 16px;font-family:${FONTS}">
<!--[if mso]><table role="presentation" width="640" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${light('sheet')}" style="max-width:640px;background-color:${light('sheet')};border:1px solid ${light('line')};text-align:left;font-family:${FONTS}">
<tr><td class="pad line${isLate && ' fill'}" style="${isLate && `background-color:${SIGNAL};`}padding:12px 32px 11px;border-bottom:1px solid ${light('line')}">${table(WIDE, header)}</td></tr>
${parts.map(({ html: drawn, above = 26 }) => html`<tr><td class="pad" style="padding:${above}px 32px 0">${drawn}</td></tr>\n`)}
<tr><td class="line" style="padding-top:32px;border-bottom:1px solid ${light('line')}"></td></tr>
<tr><td class="pad" style="padding:12px 32px 13px">${facts}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`;
  return { text, html: String(drawn) };
}

/** Uses `<br>`, since some mail programs don't know `pre-wrap`, which keeps the spaces within a line. */
const linesHtml = (text: string) => raw(escapeHtml(text).replaceAll('\n', '<br>'));

/** @param size of the type, in pixels, and even */
const paragraph = (colour: TextColour, size: number, words: Html | string, style = '') =>
  html`<p dir="auto" ${textStyle(colour, `margin:0;font-size:${size}px;line-height:${1.5 * size}px;text-wrap:pretty;${ANY_SCRIPT};${style}`)}>${words}</p>\n`;

/** The mail's own, and lines below it, the first one as a link to `link`, which must be safe. */
export function heading(title: string, lines: readonly string[] = [], link?: string): Part {
  const size = title.length > 48 ? 'font-size:20px;line-height:27px' : 'font-size:28px;line-height:34px';
  const style = textStyle(
    'ink',
    `margin:0;${size};font-weight:800;letter-spacing:-.01em;text-wrap:balance;${ANY_SCRIPT}`,
  );
  const [first = '', ...others] = lines.map(linesHtml);
  const linked = html`<a href="${link}" ${textStyle('label', 'text-decoration:underline')}>${first}</a>`;
  const below = lines.length > 0 ? [link ? linked : first, ...others] : [];
  return {
    text: [title, ...lines].join('\n'),
    // A number stays with what it counts.
    html: html`<h1 dir="auto" ${style}>${title.replace(/(?<=\d) /g, '\u00A0')}</h1>
${below.map((line) => paragraph('ink-quiet', 16, line, 'margin-top:8px'))}`,
  };
}

/** A number on the page's plan. */
function pin(number: number): Html {
  const cell = html`<tr><td class="fill" width="24" align="center" style="width:24px;border-radius:12px;background-color:${SIGNAL};color:${light('signal-ink')};font-size:13px;line-height:24px;font-weight:700">${number}</td></tr>`;
  return html`<td valign="top" width="32" style="padding-top:6px">${table('', cell)}</td>`;
}

/** `number` is on the page's plan; 0 for none. */
export function marked(label: string, list: (readonly [words: string, number: number])[]): Part {
  const lines = list.map(([words, number]) => (number ? `${number} ${words}` : words));
  const rows = list.map(([words, number]) => {
    // It begins a group.
    const [colour, above, weight] = words.endsWith(':')
      ? (['ink-quiet', 14, 400] as const)
      : (['ink', 6, 600] as const);
    return html`<tr>${number > 0 && pin(number)}<td colspan="${number ? 1 : 2}" style="padding-top:${above}px">${paragraph(colour, 16, words, `font-weight:${weight}`)}</td></tr>`;
  });
  return {
    text: [`${label}:`, ...lines].join('\n'),
    html: html`<strong ${labelled('label')}>${label}</strong>\n${table('', html`${rows}`, html` style="font-family:${FONTS}"`)}<div style="padding-top:20px;border-bottom:1px solid ${light('rule')}"></div>`,
  };
}

export const RULE = `border-top:1px solid ${light('rule')};padding-top:20px`;

/** @param isRuled unless what's above it is; `link` is where its name leads */
export function entry([name = '', from = '', ...lines]: readonly string[], isRuled = true, link = ''): Part {
  const line = `font-weight:700;${isRuled ? RULE : ''}`;
  const linked = html`<a href="${link}" ${textStyle('ink', 'text-decoration:underline')}>${name}</a>`;
  return {
    text: [name, from, ...lines].filter(Boolean).join('\n  '),
    html: html`${paragraph('ink', 18, link ? linked : name, line)}${from && paragraph('ink-quiet', 14, from)}${lines.map((words) => paragraph('ink', 16, words, 'margin-top:4px'))}`,
    above: isRuled ? 26 : 12,
  };
}

export const words = (text: string, size = 16, style = ''): Part => ({
  text,
  html: paragraph('ink', size, linesHtml(text), style),
});

/** Beside a bar, which is orange if it's urgent; orange text wouldn't have enough contrast. */
export function barred(text: string, isUrgent = true): Part {
  const [kind, name, weight] = isUrgent
    ? (['fill', 'signal', 600] as const)
    : (['main', 'inverse', 400] as const);
  const row = html`<tr>
<td class="${kind}" width="4" bgcolor="${light(name)}" style="width:4px;background-color:${light(name)}"></td>
<td style="padding:2px 0 2px 16px">${paragraph('ink', 16, linesHtml(text), `font-weight:${weight}`)}</td>
</tr>`;
  return { text, html: table(WIDE, row), above: isUrgent ? 26 : 38 };
}

/** Buttons beside each other, or on a phone one below the other. */
export function besides(...given: Sheet['parts']): Part {
  const parts = given.filter((part) => !!part);
  const cells = parts.map(
    ({ html: drawn }) => html`<td class="cell" style="padding:0 12px 0 0">${drawn}</td>`,
  );
  return {
    below: parts.map(({ below }) => below).join('\n'),
    html: table(' class="button"', html`<tr>${cells}</tr>`),
  };
}

/** `answer` is the page's call to action, in its orange; `quiet` and `link` stand beside the one that matters most. */
export type Weight = 'answer' | 'quiet' | 'link';

const LOOKS = {
  answer: ['fill', 'signal', 'signal-ink'],
  main: ['main', 'inverse', 'inverse-ink'],
  quiet: ['line', undefined, 'label'],
} as const;

/** Works in Outlook too. */
export function button(words: string, href: string, weight?: Weight): Part {
  const text = `${words}: ${href}`;
  const linked = textStyle('label', 'display:inline-block;padding:12px 0;font-size:16px;line-height:20px');
  if (weight === 'link') return { text, html: html`<a href="${href}" ${linked}>${words}</a>`, above: 4 };
  const [kind, ground, colour] = LOOKS[weight ?? 'main'];
  const look = ground ? `background-color:${light(ground)}` : `border:1px solid ${light('line')}`;
  // As high as one without a border
  const padding = ground ? '14px 36px' : '13px 35px';
  const row = html`<tr><td class="${kind}" style="${look};border-radius:2px;mso-padding-alt:${padding}">
<a href="${href}" class="t-${colour}" style="display:inline-block;padding:${padding};color:${light(colour)};font-size:17px;line-height:20px;font-weight:700;text-decoration:none;${BREAKING}">${words}</a>
</td></tr>`;
  return { text, html: table(' class="button"', row), above: weight === 'quiet' ? 12 : 26 };
}
