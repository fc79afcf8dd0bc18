import { domainToASCII } from 'node:url';
import * as v from 'valibot';
import { clean } from '../../contract/clean.ts';
import {
  type ContactMessage,
  eachField,
  FIELD_NAMES,
  FIELDS,
  type Field,
} from '../../contract/contact-message.ts';
import type { FieldFault } from '../../contract/refusal-sentences.ts';
import { lengthOfTopicLine } from '../../contract/topics.ts';

type Checked = { ok: true; message: ContactMessage } | { ok: false; field: Field; fault: FieldFault };

/** What the owner reads beside each field. */
const LABELS: Record<Field, string> = { name: 'Name', email: 'Email', message: 'Message' };
export const labelOf = (field: Field): string => LABELS[field];

/** What browsers accept in `<input type="email">`, with at most 64 characters before the @, per RFC 5321. */
const ADDRESS = v.pipe(v.string(), v.maxLength(FIELDS.email.max), v.regex(/^[^@]{1,64}@/), v.rfcEmail());

const codePoints = (text: string): number => [...text].length;

/**
 * A value as it's stored, or what's wrong with it. What's no text counts as missing.
 *
 * @param topics what begins the line of topics, which nobody typed
 */
function checkField(field: Field, value: unknown, topics?: string): { text: string } | { fault: FieldFault } {
  const { max, required, multiline, input } = FIELDS[field];
  const text = typeof value === 'string' ? clean(field, value) : '';
  if (text === '') return required ? { fault: 'missing' } : { text };
  const untyped = multiline && topics !== undefined ? lengthOfTopicLine(topics, text) : 0;
  // Before the costlier patterns
  if (codePoints(text) - untyped > max) return { fault: 'tooLong' };
  if (input.type !== 'email') return { text };
  const email = withAsciiDomain(text);
  return v.is(ADDRESS, email) ? { text: email } : { fault: 'invalid' };
}

/**
 * Cleans what a visitor sent, or names what's wrong with the first bad field.
 *
 * @param topics the page's word for what was ticked
 */
export function checkMessage(input: Readonly<Record<string, unknown>>, topics?: string): Checked {
  const message = eachField(() => '');
  for (const field of FIELD_NAMES) {
    const checked = checkField(field, Object.hasOwn(input, field) ? input[field] : undefined, topics);
    if ('fault' in checked) return { ok: false, field, ...checked };
    message[field] = checked.text;
  }
  return { ok: true, message };
}

/** Mail needs the ASCII form of a domain such as münchen.example; browsers already send it. */
function withAsciiDomain(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  // The conversion would cut at a / or a :
  if (!/\P{ASCII}/u.test(domain) || /[^\P{ASCII}A-Za-z\d.-]/u.test(domain)) return email;
  return email.slice(0, at + 1) + domainToASCII(domain);
}
