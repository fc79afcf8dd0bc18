// What the page and the function agree on. Nothing here may need React, Node or a browser.

/** Where a Supabase project, and our own server, have functions. */
export const FUNCTIONS_PATH = '/functions/v1';

export const FUNCTION_NAME = 'send-contact-email';

/** Where the form leads without JavaScript, once its message is stored. */
export const SENT_ANCHOR = 'message-sent';

/**
 * A honeypot in the form that's posted without JavaScript. A message that fills it is stored as suspected spam and not
 * mailed. No browser's autofill knows this name.
 */
export const HONEYPOT_FIELD = 'leave_this_empty';

/** The built page that returns what was typed when a post without JavaScript fails. */
export const NOT_SENT_PAGE = 'message-not-sent.html';

/** So that `npm start` needs no account. It names the anonymous role and protects nothing. */
export const DEFAULT_ANON_KEY = 'sb_publishable_embedded_server';

/** Of a call's body, and of a posted form once decoded; in bytes. */
export const MOST_BYTES = 64 * 1024;

type FieldFacts = {
  /** In Unicode code points, after trimming. */
  max: number;
  required: boolean;
  /** A `<textarea>` rather than an `<input>`. */
  multiline: boolean;
  /** Attributes of its input, as React writes them. */
  input: { type?: 'email'; autoComplete?: string; autoCapitalize?: 'words' };
};

const fields = {
  name: {
    max: 200,
    required: true,
    multiline: false,
    input: { autoComplete: 'name', autoCapitalize: 'words' },
  },
  email: { max: 254, required: true, multiline: false, input: { type: 'email', autoComplete: 'email' } },
  message: { max: 10_000, required: true, multiline: true, input: {} },
} as const satisfies Record<string, FieldFacts>;

export type Field = keyof typeof fields;
export type OptionalField = { [F in Field]: (typeof fields)[F]['required'] extends true ? never : F }[Field];

/** The fields of a message, in the order of the form. docs/changing-it.md says how to add one. */
export const FIELDS: Readonly<Record<Field, FieldFacts>> = fields;
export const FIELD_NAMES: readonly Field[] = Object.keys(fields) as Field[];

/** A message: the body of the call, as the page sends it. */
export type ContactMessage = Record<Exclude<Field, OptionalField>, string> &
  Partial<Record<OptionalField, string>>;

export function eachField<T>(make: (field: Field) => T): Record<Field, T> {
  return Object.fromEntries(FIELD_NAMES.map((field) => [field, make(field)])) as Record<Field, T>;
}

/** The body of an answer. `error` is a sentence for the visitor. */
export type Answer =
  | { ok: true; id: string }
  | { code: string; error: string; message?: string; field?: Field };
