import { expect, test, vi } from 'vitest';
import { DEFAULT_ANON_KEY } from '../../contract/contact-message.ts';
import { contactForm, outcomes } from '../content/contact-form.ts';
import { facts, filled } from '../ui/words.ts';
import { outcomeOf } from './outcome.ts';
import type { CallResult } from './send-message.ts';

vi.mock('./page-data.ts', async () => {
  const { pageData } = await import('../machine-readable/page-data.ts');
  const settings = { contactEmail: 'hello@example.com', supabaseAnonKey: DEFAULT_ANON_KEY };
  return { pageData: filled(pageData(settings)) };
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
    'an error thrown before anything was sent is a failed submission, in its own words',
    [{ error: new Error("$& $1 {message} 'quoted'") }],
    failed("$& $1 {message} 'quoted'"),
  ],
  ['a sentence doesn’t get a second full stop', [{ error: new Error('Dead line.') }], failed('Dead line')],
  ['an error may be an object with a message', [bad('{"error":{"message":"Long."}}')], refused('Long.')],
  ['any other object becomes one line', [bad('{"error":{"code":7}}')], refused('{"code":7}')],
  ['so does what isn’t an object', [bad('{"error":true}')], refused('true')],
  [
    'a field that the form doesn’t have is ignored',
    ['phone', 'toString', '', null, 7].map((field) => bad(JSON.stringify({ error: 'No.', field }))),
    refused('No.'),
  ],
])('%s', (_, calls, outcome) => {
  for (const call of calls) expect(outcomeOf(call), JSON.stringify(call)).toEqual(outcome);
});
