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

const SUCCESS = {
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

function answered(body: string, ok = true): CallResult {
  return { answer: { ok, body } };
}

test.each(['{"ok":true,"id":"1"}', '{"error":null}', '{"error":""}', '{"error":false}', ' {} '])(
  'an object without an error is success, whatever else it holds: %s',
  (body) => {
    expect(outcomeOf(answered(body))).toEqual(SUCCESS);
  },
);

test.each([
  '<!doctype html><title>Hotel Wi-Fi</title>',
  '',
  'OK',
  '"ok"',
  'null',
  'true',
  '0',
  '[]',
  '[{"ok":true}]',
  '{"ok":tr',
])('a good status says nothing by itself: %s', (body) => {
  expect(outcomeOf(answered(body))).toEqual(failed(outcomes.failed.unconfirmed));
});

test.each([true, false])('an error is shown in its own words, whatever the status: %s', (ok) => {
  expect(outcomeOf(answered('{"code":"x","error":"Please wait a moment."}', ok))).toEqual(
    refused('Please wait a moment.'),
  );
});

test.each(['{"ok":true}', '{"message":"Boom"}', '<h1>Bad gateway</h1>', '', '{"error":'])(
  'a refusal without an error in its body is a failed submission, in our words: %s',
  (body) => {
    expect(outcomeOf(answered(body, false))).toEqual(failed(outcomes.failed.wordless));
  },
);

test.each([
  [new TypeError('Invalid URL'), 'Invalid URL'],
  // It doesn't get a second full stop.
  [new Error('The line is dead.'), 'The line is dead'],
  [new Error("$& $1 {message} 'quoted'"), "$& $1 {message} 'quoted'"],
])('an error thrown before anything was sent is a failed submission: %s', (error, reason) => {
  expect(outcomeOf({ error })).toEqual(failed(reason));
});

test('a call that never gets an answer is a failed submission, in our words', () => {
  expect(outcomeOf({ error: new FunctionsFetchError(new TypeError('fetch failed')) })).toEqual(
    failed(outcomes.failed.unreachable),
  );
});

test.each([
  [{ message: 'Too long.' }, 'Too long.'],
  [{ code: 7 }, '{"code":7}'],
  [true, 'true'],
])('an error that is not a sentence still becomes one line: %j', (error, text) => {
  expect(outcomeOf(answered(JSON.stringify({ error })))).toEqual(refused(text));
});

test('an error that names a field of the form is that field’s fault', () => {
  const error = 'Please enter an e-mail address like name@example.com.';
  expect(outcomeOf(answered(JSON.stringify({ error, field: 'email' }), false))).toEqual({
    ...refused(error),
    fault: { field: 'email', error },
  });
});

test.each(['phone', 'toString', '', null, 7])(
  'a field that the form doesn’t have is ignored: %j',
  (field) => {
    expect(outcomeOf(answered(JSON.stringify({ error: 'No.', field })))).toEqual(refused('No.'));
  },
);
