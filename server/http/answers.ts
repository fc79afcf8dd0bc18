import { html } from 'hono/html';
import {
  type ContactMessage,
  FIELD_NAMES,
  FIELDS,
  type Field,
  FORM_ID,
  FUNCTION_NAME,
  FUNCTIONS_PATH,
} from '../../contract/contact-message.ts';
import {
  type FieldFault,
  refusals,
  type Sentences,
  USUAL_REPLY_HOURS,
} from '../../contract/refusal-sentences.ts';
import { TOPICS_FIELD } from '../../contract/topics.ts';
import { escapeHtml } from '../mail/sheet.ts';

/** `error` is for the visitor, `message` for the client. */
export type Refusal = {
  status: number;
  headers?: Record<string, string>;
  code?: string;
  message?: string;
  error: string;
  field?: Field;
};

/** The Supabase gateway's own wording, which its clients know. */
const noKey = (code: string, message: string) =>
  ({ status: 401, code, message, headers: { 'sb-error-code': code }, says: 'key' }) as const;

/** Everything that can go wrong except a field, and which sentence tells the visitor. */
const REFUSALS = {
  noKey: noKey('UNAUTHORIZED_NO_AUTH_HEADER', 'Missing authorization header'),
  wrongKey: noKey('UNAUTHORIZED_INVALID_JWT_FORMAT', 'Invalid JWT'),
  origin: { status: 403, code: 'ORIGIN_NOT_ALLOWED', says: 'origin' },
  unknownFunction: {
    ...{ status: 404, code: 'NOT_FOUND', message: 'Requested function was not found' },
    says: 'unknownFunction',
  },
  method: { status: 405, headers: { allow: 'POST, OPTIONS' }, code: 'METHOD_NOT_ALLOWED', says: 'method' },
  type: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', says: 'type' },
  // Its end may still be on the way.
  tooLarge: { status: 413, headers: { connection: 'close' }, code: 'BODY_TOO_LARGE', says: 'tooLarge' },
  badAddress: { status: 400, code: 'UNREADABLE_ADDRESS', says: 'badJson' },
  badJson: { status: 400, code: 'INVALID_JSON', says: 'badJson' },
  tooMany: { status: 429, code: 'TOO_MANY_REQUESTS', says: 'tooMany' },
  notStored: { status: 503, headers: { 'retry-after': '30' }, code: 'NOT_STORED', says: 'notStored' },
  // With a code, the page would say that it wasn't sent.
  unsure: { status: 503, headers: { 'retry-after': '30' }, says: 'unsure' },
  unforeseen: { status: 500, code: 'UNEXPECTED', says: 'unforeseen' },
} as const satisfies Record<string, Omit<Refusal, 'error'> & { says: keyof Sentences }>;

export type Reason = keyof typeof REFUSALS;

export function refusal(reason: Reason, sentences: Sentences): Refusal {
  const { says, ...rest } = REFUSALS[reason];
  return { ...rest, error: sentences[says] };
}

export function fieldRefusal(field: Field, fault: FieldFault, { fields, language }: Sentences): Refusal {
  const max = FIELDS[field].max.toLocaleString([language, 'en']);
  const sentence = fields[field][fault] ?? fields[field].tooLong;
  return { status: 422, code: 'INVALID_FIELD', error: sentence.replace('{max}', max), field };
}

type JsonAnswer = Refusal | { status: 200; ok: true; id?: string; headers?: undefined };

export function jsonAnswer({ status, headers, ...body }: JsonAnswer): Response {
  const type = 'application/json; charset=utf-8';
  return Response.json(body, { status, headers: { 'content-type': type, ...headers } });
}

export const ENGLISH: Sentences = {
  ...refusals,
  language: 'en',
  labels: { name: 'Name', email: 'Email', message: 'Message' },
  topics: 'About',
  spots: '',
  replyHours: USUAL_REPLY_HOURS,
};

/** From a built page's SENTENCES_FILE. What's missing is said in English: another version may have built it. */
export function readSentences(json = ''): Sentences {
  try {
    const built: unknown = JSON.parse(json);
    if (built instanceof Object) return layOver(ENGLISH, built) as Sentences;
  } catch {}
  return ENGLISH;
}

function layOver(ours: string | number | object, own: unknown): unknown {
  if (typeof ours !== 'object') return typeof own === typeof ours ? own : ours;
  const inner = (name: string) =>
    typeof own === 'object' && own !== null ? Reflect.get(own, name) : undefined;
  return Object.fromEntries(Object.entries(ours).map(([name, text]) => [name, layOver(text, inner(name))]));
}

export type Typed = ContactMessage & { topics: readonly string[] };

type Template = { html: string; headers: Record<string, string> };

const PLACES = new RegExp(`(>?)%%(?:(error|topics)|(${FIELD_NAMES.join('|')})(-error|-invalid)?)%%`, 'g');
/** Text that's only true if what was typed is on the page. */
const IF_KEPT = /%%kept%%([^<]*)/;

/**
 * For a form posted without JavaScript. The page has places for `%%error%%`, `%%topics%%`, and per field `%%name%%`,
 * `%%name-error%%` and `%%name-invalid%%`, filled in one pass, so a visitor who types `%%email%%` sees exactly that.
 *
 * @param typed undefined if it couldn't be read
 */
export function notSentAnswer(
  { status, headers, error, field: faulty }: Refusal,
  typed: Typed | undefined,
  template: Template,
  { goBack }: Sentences,
): Response {
  const said = escapeHtml(typed ? error : `${error} ${goBack}`);
  const page = template.html.replace(IF_KEPT, typed ? '$1' : '');
  const fill = (_: string, before: string, location?: string, field?: Field, part?: string) => {
    if (location === 'topics') return before + (typed?.topics ?? []).map(tickedBox).join('\n');
    // An error is said once: beside its field, if it's about one.
    if (!field) return before + (faulty ? '' : said);
    if (part === '-invalid') return `${before}${field === faulty}`;
    if (part === '-error') return before + (field === faulty ? said : '');
    // Browsers drop a newline right after <textarea>: this one, rather than the visitor's.
    return `${before && `${before}\n`}${escapeHtml(typed?.[field] ?? '')}`;
  };
  const all = { ...template.headers, 'content-type': 'text/html; charset=utf-8', ...headers };
  return new Response(page.replace(PLACES, fill), { status, headers: all });
}

/** It can be unticked. */
const tickedBox = (topic: string) =>
  html`<label dir="auto"><input type="checkbox" form="${FORM_ID}" name="${TOPICS_FIELD}" value="${topic}" checked> ${topic}</label>`;

/** For a server without a built page, as on Supabase. `home` is the page's address. */
export function plainNotSentPage(home: string, { language, labels, page }: Sentences): Template {
  const headers = { 'content-security-policy': "default-src 'none'; base-uri 'none'" };
  const fields = FIELD_NAMES.map((name) => {
    const input = FIELDS[name].multiline
      ? html`<textarea name="${name}" dir="auto" rows="8" cols="30">%%${name}%%</textarea>`
      : html`<input name="${name}" dir="auto" value="%%${name}%%">`;
    return html`<p><label>${labels[name]}<br>${input}</label> <strong>%%${name}-error%%</strong></p>\n`;
  });
  const drawn = html`<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.heading}</title>
<h1>${page.heading}</h1>
<p role="alert">%%error%%</p>
<form id="${FORM_ID}" method="post" action="${FUNCTIONS_PATH}/${FUNCTION_NAME}">
<p>%%topics%%</p>
${fields}<p><button>${page.again}</button> <a href="${home}">${page.back}</a></p>
</form>
`;
  return { html: String(drawn), headers };
}
