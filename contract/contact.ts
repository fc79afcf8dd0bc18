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

/** Bounds, lengths in Unicode code points after trimming, sizes in bytes. */
export const LIMITS = {
  name: { min: 1, max: 200 },
  email: { min: 3, max: 254, localPart: 64 },
  message: { min: 1, max: 10_000 },
  body: 64 * 1024,
} as const;

export const FIELDS = ['name', 'email', 'message'] as const;
export type Field = (typeof FIELDS)[number];

/** The body of the call, as the page sends it. */
export type ContactMessage = Record<Field, string>;

/** The body of an answer. `error` is one plain sentence that a visitor may read. */
export type Answer =
  | { ok: true; id: string }
  | { code: string; error: string; message?: string; field?: Field };
