import {
  type ContactMessage,
  FIELD_NAMES,
  FIELDS,
  type Field,
  FUNCTION_NAME,
  FUNCTIONS_PATH,
  HONEYPOT_FIELD,
} from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { escapeHtml } from '../mail/escape-html.ts';

export type Typed = Partial<ContactMessage>;

/** What's wrong, and with which field, if it's about one. */
export interface Fault {
  error: string;
  field?: Field;
}

const PLACES = new RegExp(`(>?)%%(?:error|(${FIELD_NAMES.join('|')})(-error|-invalid)?)%%`, 'g');

/**
 * Fills the built page with what a visitor typed and what's wrong with it: `%%error%%`, and for each field `%%name%%`,
 * `%%name-error%%` and `%%name-invalid%%`. Done in one pass, so a visitor who types `%%email%%` sees exactly that.
 */
export function fillNotSentPage(template: string, typed: Typed, fault: Fault): string {
  return template.replace(PLACES, (_, before: string, field?: Field, part?: '-error' | '-invalid') => {
    // An error is said once: beside its field, if it's about one.
    if (!field) return before + (fault.field ? '' : escapeHtml(fault.error));
    const isFaulty = field === fault.field;
    if (part === '-invalid') return `${before}${isFaulty}`;
    if (part === '-error') return before + (isFaulty ? escapeHtml(fault.error) : '');
    // Browsers drop a newline right after <textarea>: this one, rather than the visitor's.
    return `${before && `${before}\n`}${escapeHtml(typed[field] ?? '')}`;
  });
}

/**
 * For a server without a built page, as in development.
 *
 * @param home the page's address
 * @param basePath what comes before the function's own path
 */
export const plainNotSentPage = (
  home: string,
  basePath: string,
  { language, labels, page }: Sentences,
): string => `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.heading)}</title>
</head>
<body>
<main>
<h1>${escapeHtml(page.heading)}</h1>
<p role="alert">%%error%%</p>
<form method="post" action="${basePath}${FUNCTIONS_PATH}/${FUNCTION_NAME}">
${FIELD_NAMES.map((name) => plainField(name, labels[name])).join('\n')}
<p hidden><input name="${HONEYPOT_FIELD}" autocomplete="off" tabindex="-1"></p>
<p><button>${escapeHtml(page.again)}</button> <a href="${escapeHtml(home)}">${escapeHtml(page.back)}</a></p>
</form>
</main>
</body>
</html>
`;

function plainField(name: Field, label: string): string {
  const { required, multiline, input } = FIELDS[name];
  const attributes = [
    `id="${name}" name="${name}"`,
    ...Object.entries(input).map(([attribute, value]) => `${attribute.toLowerCase()}="${value}"`),
    ...(required ? ['required'] : []),
    `aria-invalid="%%${name}-invalid%%" aria-describedby="${name}-error"`,
  ].join(' ');
  const field = multiline
    ? `<textarea ${attributes} rows="8" cols="30">%%${name}%%</textarea>`
    : `<input ${attributes} value="%%${name}%%">`;
  return `<p><label for="${name}">${escapeHtml(label)}</label><br>${field} <strong id="${name}-error">%%${name}-error%%</strong></p>`;
}
