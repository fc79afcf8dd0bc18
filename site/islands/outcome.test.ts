import { FunctionsFetchError } from '@supabase/functions-js';
import { expect, test, vi } from 'vitest';
import { DEFAULT_ANON_KEY } from '../../contract/contact-message.ts';
import { contactForm, outcomes } from '../content/contact-form.ts';
import { facts } from '../ui/words.ts';
import { outcomeOf } from './outcome.ts';
import type { CallResult } from './send-message.ts';

vi.mock('./page-data.ts', async () => {
  const { pageData } = await import('../machine-readable/page-data.ts');
  return {
    pageData: pageData({ contactEmail: 'hello@example.com', supabaseAnonKey: DEFAULT_ANON_KEY }),
  };
});

const SENT = {
  sent: true,
  toast: {
    title: 'Success!',
    description: `Your message has been sent. We'll respond ${facts.reply}.`,
  },
};

function refused(reason: string) {
  const toast = { title: 'Error', description: reason, variant: 'destructive' };
  return { sent: false, stamp: contactForm.status.failed, reason, toast };
}

function failed(message: string) {
  return {
    sent: false,
    stamp: contactForm.status.unsure,
    reason: `${message}.`,
    toast: {
      title: 'Submission Failed',
      description: `Error: ${message}. Please try again.`,
      variant: 'destructive',
    },
  };
}

const good = (body: string) => ({ answer: { ok: true, body } });
const bad = (body: string) => ({ answer: { ok: false, body } });
const naming = (field: unknown) => bad(JSON.stringify({ error: 'No.', field }));

test.each<[string, CallResult[], unknown]>([
  [
    'an object without an error is success, whatever else it holds',
    ['{"ok":true,"id":"1"}', '{"error":null}', '{"error":""}', '{"error":false}', ' {} '].map(good),
    SENT,
  ],
  [
    'a good status says nothing by itself',
    ['<!doctype html>', '', 'OK', '"ok"', 'null', 'true', '0', '[]', '[{"ok":true}]', '{"ok":tr'].map(good),
    failed(outcomes.failed.unconfirmed),
  ],
  [
    'a refusal without an error in its body is a failed submission, in our words',
    ['{"ok":true}', '{"message":"Boom"}', '<h1>Bad gateway</h1>', '', '{"error":'].map(bad),
    failed(outcomes.failed.wordless),
  ],
  [
    'a call that never gets an answer is a failed submission, in our words',
    [{ error: new FunctionsFetchError(new TypeError('fetch failed')) }],
    failed(outcomes.failed.unreachable),
  ],
  [
    'an error thrown before anything was sent is a failed submission, in its own words',
    [{ error: new Error("$& $1 {message} 'quoted'") }],
    failed("$& $1 {message} 'quoted'"),
  ],
  ['a sentence doesn’t get a second full stop', [{ error: new Error('Dead line.') }], failed('Dead line')],
  [
    'an error is shown in its own words, whatever the status',
    [good, bad].map((answered) => answered('{"code":"x","error":"Please wait."}')),
    refused('Please wait.'),
  ],
  ['an error may be an object with a message', [bad('{"error":{"message":"Long."}}')], refused('Long.')],
  ['any other object becomes one line', [bad('{"error":{"code":7}}')], refused('{"code":7}')],
  ['so does what isn’t an object', [bad('{"error":true}')], refused('true')],
  [
    'an error that names a field of the form is that field’s fault',
    [naming('email')],
    { ...refused('No.'), field: 'email' },
  ],
  [
    'a field that the form doesn’t have is ignored',
    ['phone', 'toString', '', null, 7].map(naming),
    refused('No.'),
  ],
])('%s', (_, calls, outcome) => {
  for (const call of calls) expect(outcomeOf(call), JSON.stringify(call)).toEqual(outcome);
});
