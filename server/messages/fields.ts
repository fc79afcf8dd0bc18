import { domainToASCII } from 'node:url';
import * as v from 'valibot';
import {
  type ContactMessage,
  eachField,
  FIELD_NAMES,
  FIELDS,
  type Field,
} from '../../contract/contact-message.ts';
import type { FieldFault } from '../../contract/refusal-sentences.ts';

type Checked = { ok: true; message: ContactMessage } | { ok: false; field: Field; fault: FieldFault };

/** What a check calls a fault. contract/refusal-sentences.ts has the sentence for it. */
const as = <Fault extends FieldFault>(fault: Fault): Fault => fault;

/** Invisible characters alone say nothing, and trimming leaves some of them. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]*$/u;
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /(?![\n\t])\p{Cc}/u;
/** These make a name look different from how it's written, e.g. in the owner's inbox. */
const BIDI_OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/g;

/** Before the @, per RFC 5321. */
const LONGEST_LOCAL_PART = 64;

const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/**
 * Rejects blank, unreadable or too-long text, in that order and before any costlier pattern runs. An optional field
 * that's blank or missing is ''.
 */
function text(field: Field) {
  const { max, multiline, required } = FIELDS[field];
  const missing = as('missing');
  const unreadable = as('unreadable');
  const control = multiline ? CONTROL_BUT_LINES : CONTROL;
  return v.pipe(
    required ? v.string(missing) : v.optional(v.string(unreadable), ''),
    // Before normalization: once such a character is gone, its neighbours may combine into one letter. Browsers send
    // CRLF from a form and LF from JavaScript, yet it's the same message.
    v.transform((value) => (multiline ? value.replace(/\r\n?/g, '\n') : value.replace(BIDI_OVERRIDES, ''))),
    v.check((value) => value.isWellFormed(), unreadable),
    v.transform((value) => value.trim().normalize('NFC')),
    v.transform((value) => (BLANK.test(value) ? '' : value)),
    v.check((value) => value !== '' || !required, missing),
    v.check((value) => codePoints(value) <= max, as('tooLong')),
    v.check((value) => !control.test(value), unreadable),
  );
}

/** The label the owner reads, and the check on what was typed. */
const fields: Record<Field, { label: string; check: v.GenericSchema<unknown, string> }> = {
  name: { label: 'Name', check: text('name') },
  email: {
    label: 'Email',
    check: v.pipe(
      text('email'),
      v.transform(withAsciiDomain),
      v.check((value) => value.length <= FIELDS.email.max, as('invalid')),
      v.check((value) => value.lastIndexOf('@') <= LONGEST_LOCAL_PART, as('invalid')),
      // What browsers accept in `<input type="email">`.
      v.rfcEmail(as('invalid')),
    ),
  },
  message: { label: 'Message', check: text('message') },
};

export const labelOf = (field: Field): string => fields[field].label;

/** What every mail and command shows separately. */
const WITH_OWN_PLACE: readonly Field[] = ['name', 'email', 'message'];

/** Filled-in fields, except those. */
export function furtherFields(message: ContactMessage): { label: string; value: string }[] {
  return FIELD_NAMES.filter((field) => !WITH_OWN_PLACE.includes(field))
    .map((field) => ({ label: labelOf(field), value: message[field] ?? '' }))
    .filter(({ value }) => value !== '');
}

/** Normalizes what a visitor sent, or names what's wrong with the first bad field. */
export function checkMessage(input: Readonly<Record<string, unknown>>): Checked {
  const message = eachField(() => '');
  for (const field of FIELD_NAMES) {
    const value = Object.hasOwn(input, field) ? input[field] : undefined;
    const result = v.safeParse(fields[field].check, value, { abortEarly: true });
    if (!result.success) return { ok: false, field, fault: result.issues[0].message as FieldFault };
    message[field] = result.output;
  }
  return { ok: true, message };
}

/** What's wrong with a stored value, by today's rules. */
export function fieldFault(field: Field, value: unknown): FieldFault | undefined {
  const result = v.safeParse(fields[field].check, value, { abortEarly: true });
  return result.success ? undefined : (result.issues[0].message as FieldFault);
}

/** The address as it's stored; undefined if it isn't one. */
export function checkEmail(input: string): string | undefined {
  const result = v.safeParse(fields.email.check, input, { abortEarly: true });
  return result.success ? result.output : undefined;
}

/** Mail needs the ASCII form of a domain such as münchen.example; browsers already send it. */
function withAsciiDomain(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  // Only letters, digits, hyphens and dots are converted: the conversion would cut at a / or a :
  if (!/\P{ASCII}/u.test(domain) || /[^\p{L}\p{M}\p{N}.\-\u3002\uFF0E\uFF61]/u.test(domain)) return email;
  return email.slice(0, at + 1) + domainToASCII(domain);
}
