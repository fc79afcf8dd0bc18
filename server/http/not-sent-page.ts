import {
  type ContactMessage,
  FIELD_NAMES,
  FIELDS,
  type Field,
  FORM_ID,
  FUNCTION_NAME,
  FUNCTIONS_PATH,
  HONEYPOT_FIELD,
} from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { TOPICS_FIELD } from '../../contract/topics.ts';
import { escapeHtml } from '../mail/sheet.ts';

/** What the visitor typed, and ticked. */
export type Typed = ContactMessage & { topics: readonly string[] };

/** What's wrong, and with which field, if it's about one. */
export interface Fault {
  error: string;
  field?: Field;
}

const PLACES = new RegExp(`(>?)%%(?:(error|topics)|(${FIELD_NAMES.join('|')})(-error|-invalid)?)%%`, 'g');
/** Text that's only true if what was typed is on the page. */
const IF_KEPT = /%%kept%%([^<]*)/;

/**
 * Fills the built page with what a visitor typed and what's wrong with it: `%%error%%`, `%%topics%%`, and for each field
 * `%%name%%`, `%%name-error%%` and `%%name-invalid%%`. Done in one pass, so a visitor who types `%%email%%` sees exactly
 * that.
 */
export function fillNotSentPage(template: string, typed: Typed | undefined, fault: Fault): string {
  const page = template.replace(IF_KEPT, typed ? '$1' : '');
  return page.replace(PLACES, (_, before: string, place?: string, field?: Field, part?: string) => {
    if (place === 'topics') return before + (typed?.topics ?? []).map(tickedBox).join('\n');
    // An error is said once: beside its field, if it's about one.
    if (!field) return before + (fault.field ? '' : escapeHtml(fault.error));
    const isFaulty = field === fault.field;
    if (part === '-invalid') return `${before}${isFaulty}`;
    if (part === '-error') return before + (isFaulty ? escapeHtml(fault.error) : '');
    // Browsers drop a newline right after <textarea>: this one, rather than the visitor's.
    return `${before && `${before}\n`}${escapeHtml(typed?.[field] ?? '')}`;
  });
}

/** It can be unticked. */
function tickedBox(topic: string): string {
  const title = escapeHtml(topic);
  return `<label dir="auto"><input type="checkbox" form="${FORM_ID}" name="${TOPICS_FIELD}" value="${title}" checked> ${title}</label>`;
}

/**
 * For a server without a built page, as in development.
 *
 * @param home the page's address
 */
export const plainNotSentPage = (
  home: string,
  { language, labels, topics, page }: Sentences,
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
<form id="${FORM_ID}" method="post" action="${FUNCTIONS_PATH}/${FUNCTION_NAME}">
<p role="group" aria-label="${escapeHtml(topics)}">%%topics%%</p>
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
    `id="${name}" name="${name}" dir="auto"`,
    ...Object.entries(input).map(([attribute, value]) => `${attribute.toLowerCase()}="${value}"`),
    ...(required ? ['required'] : []),
    `aria-invalid="%%${name}-invalid%%" aria-describedby="${name}-error"`,
  ].join(' ');
  const field = multiline
    ? `<textarea ${attributes} rows="8" cols="30">%%${name}%%</textarea>`
    : `<input ${attributes} value="%%${name}%%">`;
  return `<p><label for="${name}">${escapeHtml(label)}</label><br>${field} <strong id="${name}-error">%%${name}-error%%</strong></p>`;
}
