/** Where functions live, on Supabase and on our own server. */
export const FUNCTIONS_PATH = '/functions/v1';
export const FUNCTION_NAME = 'send-contact-email';

/** Ties what's outside the form, such as the ticks, to it. */
export const FORM_ID = 'contact-form';
/** Where visitors without JavaScript land once their message is stored. */
export const SENT_ANCHOR = 'message-sent';
/** A honeypot: what fills it in is stored as suspected spam and not mailed. No browser's autofill knows this name. */
export const HONEYPOT_FIELD = 'leave_this_empty';

/**
 * What the body has no place for: whether the honeypot was filled in, and how many milliseconds the page had been
 * open, plus the age of a draft that it restored. Every Supabase project lets this header through.
 */
export const CLIENT_INFO = 'x-client-info';
export const clientInfo = (trap: unknown, openMs: number): string =>
  `${trap ? 'trap' : 'form'} ${Math.floor(Math.min(Math.max(openMs, 0), 999_999_999))}`;

/** Undefined if anything but the page wrote it. */
export function readClientInfo(info: string | null): { trap: boolean; openMs: number } | undefined {
  const [, kind, openMs] = /^(form|trap) (\d{1,9})$/.exec(info ?? '') ?? [];
  return kind === undefined ? undefined : { trap: kind === 'trap', openMs: Number(openMs) };
}

/** The built page that gives visitors back what they typed when a post without JavaScript fails. */
export const NOT_SENT_PAGE = 'message-not-sent.html';

/** So that `npm start` needs no account. It only names the anonymous role, and protects nothing. */
export const DEFAULT_ANON_KEY = 'sb_publishable_embedded_server';

/** The limit for a call's body, and for a decoded form post, in bytes. The longest message takes about two thirds. */
export const MOST_BYTES = 64 * 1024;

type FieldFacts = {
  /** In Unicode code points, after cleaning. */
  max: number;
  required: boolean;
  /** A `<textarea>` rather than an `<input>`. */
  multiline?: true;
  /** Attributes of its input, as React writes them. */
  input: { type?: 'email'; autoComplete?: string; autoCapitalize?: 'words' };
};

const fields = {
  name: { max: 200, required: true, input: { autoComplete: 'name', autoCapitalize: 'words' } },
  email: { max: 254, required: true, input: { type: 'email', autoComplete: 'email' } },
  message: { max: 10_000, required: true, multiline: true, input: {} },
} satisfies Record<string, FieldFacts>;

export type Field = keyof typeof fields;

/** The fields of a message, in the order of the form. docs/changing-it.md says how to add one. */
export const FIELDS: Readonly<Record<Field, FieldFacts>> = fields;
export const FIELD_NAMES: readonly Field[] = Object.keys(fields) as Field[];

/** A message, as the page sends it in the body of the call. */
export type ContactMessage = Record<Field, string>;

export function eachField<T>(make: (field: Field) => T): Record<Field, T> {
  return Object.fromEntries(FIELD_NAMES.map((field) => [field, make(field)])) as Record<Field, T>;
}
