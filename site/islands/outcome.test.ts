import { FunctionsHttpError, FunctionsRelayError } from '@supabase/functions-js';
import { expect, test } from 'vitest';
import { outcomes } from '../content/contact-form.ts';
import { facts } from '../ui/words.ts';
import { type CallResult, outcomeOf } from './outcome.ts';

const SUCCESS = {
  sent: true,
  toast: {
    title: 'Success!',
    description: `Your message has been sent. We'll respond ${facts.reply}.`,
  },
};

function refused(reason: string) {
  return { sent: false, reason, toast: { title: 'Error', description: reason, variant: 'destructive' } };
}

function failed(message: string) {
  return {
    sent: false,
    reason: `${message}.`,
    toast: {
      title: 'Submission Failed',
      description: `Error: ${message}. Please try again.`,
      variant: 'destructive',
    },
  };
}

function answered(data: unknown): CallResult {
  return { data, error: null, answer: new Response() };
}

function rejected(status: number, body: BodyInit | null): CallResult {
  const answer = new Response(body, { status });
  return { data: null, error: new FunctionsHttpError(answer), answer };
}

test.each([
  [{ ok: true, id: '1' }],
  [{ error: null }],
  [{ error: '' }],
  [{ error: false }],
  [{}],
  [null],
  [undefined],
  [''],
  ['OK'],
  [[]],
  [0],
])('an answer without an error is success, whatever it holds: %j', async (data) => {
  expect(await outcomeOf(answered(data))).toEqual(SUCCESS);
});

test('an error in a successful answer is shown in its own words', async () => {
  expect(await outcomeOf(answered({ error: 'Please wait a moment.' }))).toEqual(
    refused('Please wait a moment.'),
  );
});

test('an error in JSON that came as plain text is found too', async () => {
  expect(await outcomeOf(answered('{"error":"Full."}'))).toEqual(refused('Full.'));
});

test.each([400, 401, 413, 422, 429, 500, 503])('an error in the body of a %i is shown', async (status) => {
  expect(await outcomeOf(rejected(status, '{"code":"x","error":"Not saved."}'))).toEqual(
    refused('Not saved.'),
  );
});

test.each([['{"message":"Boom"}'], ['<h1>Bad gateway</h1>'], [''], ['{"error":']])(
  'a refusal without an error in its body is a failed submission, in our words: %s',
  async (body) => {
    expect(await outcomeOf(rejected(502, body))).toEqual(failed(outcomes.failed.wordless));
  },
);

test('a body that breaks off while it is read is a failed submission', async () => {
  const broken = new ReadableStream({ start: (controller) => controller.error(new TypeError('cut')) });
  expect(await outcomeOf(rejected(500, broken))).toEqual(failed(outcomes.failed.wordless));
});

test('a relay error is a failed submission even with a good status', async () => {
  const answer = new Response('{}', { headers: { 'x-relay-error': 'true' } });
  expect(await outcomeOf({ data: null, error: new FunctionsRelayError(answer), answer })).toEqual(
    failed(outcomes.failed.wordless),
  );
});

test('a good status with an unreadable body is success: the message is stored', async () => {
  const error = new SyntaxError('Unexpected end of JSON input');
  expect(await outcomeOf({ data: null, error, answer: new Response('') })).toEqual(SUCCESS);
});

test('an error thrown before anything was sent is a failed submission', async () => {
  const error = new TypeError('Invalid URL');
  expect(await outcomeOf({ data: null, error, answer: undefined })).toEqual(failed('Invalid URL'));
});

test('a reason that ends in a full stop does not get a second one', async () => {
  const error = new Error('The line is dead.');
  expect(await outcomeOf({ data: null, error, answer: undefined })).toEqual(failed('The line is dead'));
});

test('a reason may hold any characters', async () => {
  const error = new Error("$& $1 {message} 'quoted'");
  expect(await outcomeOf({ data: null, error, answer: undefined })).toEqual(
    failed("$& $1 {message} 'quoted'"),
  );
});

test.each([
  [{ message: 'Too long.' }, 'Too long.'],
  [{ code: 7 }, '{"code":7}'],
  [true, 'true'],
])('an error that is not a sentence still becomes one line: %j', async (error, text) => {
  expect(await outcomeOf(answered({ error }))).toEqual(refused(text));
});

test('an error that names a field of the form is that field’s fault', async () => {
  const error = 'Please enter an e-mail address like name@example.com.';
  expect(await outcomeOf(rejected(422, JSON.stringify({ error, field: 'email' })))).toEqual({
    ...refused(error),
    fault: { field: 'email', error },
  });
});

test.each(['phone', 'toString', '', null, 7])(
  'a field that the form doesn’t have is ignored: %j',
  async (field) => {
    expect(await outcomeOf(answered({ error: 'No.', field }))).toEqual(refused('No.'));
  },
);
