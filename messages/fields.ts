import { domainToASCII } from 'node:url';
import * as v from 'valibot';
import { type ContactMessage, FIELDS, type Field, LIMITS } from '../contract/contact.ts';

export type Checked =
  | { ok: true; message: ContactMessage }
  /** `error` is a sentence for the visitor. */
  | { ok: false; field: Field; error: string };

/** A text of invisible characters alone says nothing, though trimming leaves some of them. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]*$/u;
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /(?![\n\t])\p{Cc}/u;
/** These make a name show other than it is written, for instance in the owner's inbox. */
const BIDI_OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/g;

const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

const unreadable = (label: string): string =>
  `${label} holds characters that cannot be saved. Please type it again.`;

/** Missing, blank, unreadable or too long, in that order and before any costlier pattern runs. */
const text = (label: string, max: number, missing: string, control: RegExp) =>
  v.pipe(
    v.string(missing),
    v.check((value) => value.isWellFormed(), unreadable(label)),
    v.transform((value) => value.trim().normalize('NFC')),
    v.check((value) => !BLANK.test(value), missing),
    v.check(
      (value) => codePoints(value) <= max,
      `${label} can have at most ${max.toLocaleString('en')} characters.`,
    ),
    v.check((value) => !control.test(value), unreadable(label)),
  );

const NO_EMAIL = 'Please enter your e-mail address.';
const BAD_EMAIL = 'Please enter an e-mail address like name@example.com.';

const fields = {
  name: v.pipe(
    v.unknown(),
    // Before the normalisation: what stood around such a character may be one letter without it.
    v.transform((value) => (typeof value === 'string' ? value.replace(BIDI_OVERRIDES, '') : value)),
    text('Your name', LIMITS.name.max, 'Please enter your name.', CONTROL),
  ),
  email: v.pipe(
    text('Your e-mail address', LIMITS.email.max, NO_EMAIL, CONTROL),
    v.transform(withAsciiDomain),
    v.check((value) => value.length >= LIMITS.email.min && value.length <= LIMITS.email.max, BAD_EMAIL),
    v.check((value) => value.lastIndexOf('@') <= LIMITS.email.localPart, BAD_EMAIL),
    // What browsers take for `<input type="email">`.
    v.rfcEmail(BAD_EMAIL),
  ),
  message: v.pipe(
    v.unknown(),
    // Line ends first: browsers send CRLF from a form and LF from JavaScript, and it is one message.
    v.transform((value) => (typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : value)),
    text('Your message', LIMITS.message.max, 'Please enter a message.', CONTROL_BUT_LINES),
  ),
} satisfies Record<Field, v.GenericSchema<unknown, string>>;

/** Normalises what a visitor sent, or says what is wrong with its first faulty field. */
export function checkMessage(input: Readonly<Record<string, unknown>>): Checked {
  const message: ContactMessage = { name: '', email: '', message: '' };
  for (const field of FIELDS) {
    const value = Object.hasOwn(input, field) ? input[field] : undefined;
    const result = v.safeParse(fields[field], value, { abortEarly: true, abortPipeEarly: true });
    if (!result.success) return { ok: false, field, error: result.issues[0].message };
    message[field] = result.output;
  }
  return { ok: true, message };
}

/** An address as it is stored, or undefined for what is none. */
export function checkEmail(input: string): string | undefined {
  const result = v.safeParse(fields.email, input, { abortEarly: true, abortPipeEarly: true });
  return result.success ? result.output : undefined;
}

/** Mail needs the ASCII form of a domain such as münchen.example; browsers send that form already. */
function withAsciiDomain(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  // Only letters, digits, hyphens and dots may enter the conversion, which would cut at a / or a :
  if (at < 0 || !/\P{ASCII}/u.test(domain) || /[^\p{L}\p{M}\p{N}.\-\u3002\uFF0E\uFF61]/u.test(domain))
    return email;
  return email.slice(0, at + 1) + domainToASCII(domain);
}
