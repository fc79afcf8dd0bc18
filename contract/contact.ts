/**
 * What the page and the function agree on. Both sides import it, so nothing here may need
 * React, Node or a browser.
 */

/** Path below which a Supabase project, and our own server, answer functions. */
export const FUNCTIONS_PATH = '/functions/v1';

/** The one function. */
export const FUNCTION_NAME = 'send-contact-email';

/** Where the no-JavaScript form comes back to once its message is stored. */
export const SENT_ANCHOR = 'message-sent';

/**
 * A field of the no-JavaScript form that people do not see. A message that fills it is stored as
 * suspected spam and not mailed. No browser's autofill knows a field of this name.
 */
export const HONEYPOT_FIELD = 'leave_this_empty';

/** The built page that shows a failed no-JavaScript post together with everything that was typed. */
export const NOT_SENT_PAGE = 'message-not-sent.html';

/**
 * Shipped so that the two commands work without an account. It names the anonymous role and guards
 * nothing; a Supabase project brings its own.
 */
export const DEFAULT_ANON_KEY = 'sb_publishable_embedded_server';

/** The largest body of a call, and the most that a posted form may say, in bytes. */
export const MOST_BYTES = 64 * 1024;

type FieldFacts = {
  /** In Unicode code points, after trimming. */
  max: number;
  required: boolean;
  /** Whether line ends may stand in it: a `<textarea>` rather than an `<input>`. */
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

/** What `make` makes of each field, under the field's name. */
export function eachField<T>(make: (field: Field) => T): Record<Field, T> {
  return Object.fromEntries(FIELD_NAMES.map((field) => [field, make(field)])) as Record<Field, T>;
}

/** The body of an answer. `error` is one plain sentence that a visitor may read. */
export type Answer =
  | { ok: true; id: string }
  | { code: string; error: string; message?: string; field?: Field };
