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
import { asciiAddress } from '../../settings/checks.ts';

type Checked = { ok: true; message: ContactMessage } | { ok: false; field: Field; fault: FieldFault };

/** What browsers accept in `<input type="email">`, with at most 64 characters before the @, per RFC 5321. */
const ADDRESS = v.pipe(v.string(), v.maxLength(FIELDS.email.max), v.regex(/^[^@]{1,64}@/), v.rfcEmail());

/** Such as münchen.example, whose ASCII form mail needs. The conversion would cut it at a / or a :. */
const UNICODE_DOMAIN = /@(?=[^@]*\P{ASCII})[\P{ASCII}A-Za-z\d.-]+$/u;

/** Cleans what was sent, or names what's wrong with the first bad field. `topics`: the word that begins a line nobody typed. */
export function checkMessage(input: Readonly<Record<string, unknown>>, topics?: string): Checked {
  const message = eachField(() => '');
  for (const field of FIELD_NAMES) {
    const { max, required, multiline, input: control } = FIELDS[field];
    const refuse = (fault: FieldFault): Checked => ({ ok: false, field, fault });
    const value = input[field];
    const text = typeof value === 'string' ? clean(field, value) : '';
    if (text === '' && required) return refuse('missing');
    if (text === '') continue;
    const untyped = multiline && topics !== undefined ? lengthOfTopicLine(topics, text) : 0;
    // In code points, and before the costlier patterns.
    if ([...text].length - untyped > max) return refuse('tooLong');
    const isEmail = control.type === 'email';
    message[field] = isEmail && UNICODE_DOMAIN.test(text) ? asciiAddress(text) : text;
    if (isEmail && !v.is(ADDRESS, message[field])) return refuse('invalid');
  }
  return { ok: true, message };
}
