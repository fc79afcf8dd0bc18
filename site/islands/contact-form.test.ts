import { createServer, type ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { DEFAULT_ANON_KEY, eachField, FUNCTION_NAME, MOST_BYTES } from '../../contract/contact-message.ts';
import { portOf } from '../../tests/support/network/free-port.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { contactForm, outcomes } from '../content/contact-form.ts';
import { facts, filled } from '../ui/words.ts';
import { readDraft, saveDraft } from './draft.ts';
import { outcomeOf } from './outcome.ts';
import { stampOf } from './receipt.tsx';
import { type CallResult, keyHeaders, sendMessage } from './send-message.ts';
import { renderToasts, type Toast, toast } from './toast-store.ts';

vi.mock('./page-data.ts', async () => {
  const { pageData } = await import('../machine-readable/page-data.ts');
  const settings = { contactEmail: 'hello@example.com', supabaseAnonKey: DEFAULT_ANON_KEY };
  return { pageData: filled(pageData(settings)) };
});

const typed = { name: 'Zoë', email: 'zoe@example.com', message: 'Two\nlines' };

test('a storage that is full, or that the visitor blocks, breaks nothing', () => {
  const refuse = () => {
    throw new DOMException('Denied', 'SecurityError');
  };
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: refuse });
  saveDraft(typed);
  vi.spyOn(globalThis, 'sessionStorage', 'get').mockImplementation(refuse);
  saveDraft({});
  expect(readDraft()).toEqual({});
});

const PATH = `/functions/v1/${FUNCTION_NAME}`;
const YES = '{"ok":true}';

async function resultOf(answer: (to: ServerResponse) => void) {
  const server = createServer((request, response) => {
    if (request.url === PATH) answer(response);
    else response.end(YES);
  });
  const port = await portOf(await untilEnd(server));
  const message = eachField((field) => field);
  return sendMessage(message, `http://127.0.0.1:${port}${PATH}`, 'a key', 'some info');
}

test('an older key is a token and is sent as both, any other as apikey alone', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2lnbmF0dXJl';
  expect(keyHeaders(token)).toEqual({ apikey: token, Authorization: `Bearer ${token}` });
  for (const key of ['sb_publishable_test', '', 'eyJ', 'eyJ.only.two.dots.more', 'abc.def.ghi'])
    expect(keyHeaders(key)).toEqual({ apikey: key });
});

test.each([10_000, 70_000])('who leaves has sent what browsers carry on: %i letters', async (length) => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  await sendMessage({ ...typed, message: 'x'.repeat(length) }, `http://127.0.0.1:1${PATH}`, 'key', 'info');
  expect(fetched.mock.lastCall?.[1]).toMatchObject({ keepalive: length * 3 < MOST_BYTES });
});

const good = (body: string) => ({ answer: { ok: true, body } });
const bad = (body: string) => ({ answer: { ok: false, body } });

test.each<[string, (to: ServerResponse) => void, object]>([
  ['JSON', (to) => to.setHeader('content-type', 'application/json').end(), good('')],
  ['HTML', (to) => to.setHeader('content-type', 'text/html').end('<h1>Hi</h1>'), good('<h1>Hi</h1>')],
  ['what a redirect leads to', (to) => to.writeHead(307, { location: `/new${PATH}` }).end(), good(YES)],
  ['what one leads to elsewhere', (to) => to.writeHead(307, { location: '/healthz' }).end(), bad(YES)],
  ['a refusal', (to) => to.writeHead(502).end(YES), bad(YES)],
  ['the platform’s own error', (to) => to.setHeader('x-relay-error', 'true').end(YES), bad(YES)],
  [
    'a body that breaks off',
    (to) => to.writeHead(200, { 'content-length': 999 }).write('{"ok":tr', () => to.socket?.end()),
    { error: expect.any(Error) },
  ],
])('an answer arrives as it was sent, known to be good or not: %s', async (_, answer, result) => {
  const startedAt = Date.now();
  const found = await resultOf(answer);
  expect(found).toMatchObject(result);
  if ('answer' in found) expect(found.answer.at).toBeCloseTo(startedAt, -5);
});

const SENT = {
  sent: true,
  at: expect.any(Number),
  toast: {
    title: 'Success!',
    description: `Your message has been sent. We'll respond ${facts.reply}.`,
  },
};

function refused(reason: string, stamp = contactForm.status.unsure) {
  const toast = { title: 'Error', description: reason, variant: 'destructive' };
  return { sent: false, stamp, reason, toast };
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

test.each<[string, CallResult[], unknown]>([
  [
    'an object without an error is success, whatever else it holds',
    ['{"ok":true,"id":"1"}', '{"error":null}', '{"error":""}', '{"error":false}', ' {} '].map(good),
    SENT,
  ],
  [
    'a good status says nothing by itself',
    ['<!doctype html>', 'OK', '"ok"', 'null', 'true', '0', '[]', '[{"ok":true}]', '{"ok":tr'].map(good),
    failed(outcomes.failed.unconfirmed),
  ],
  ['of one that was cut off, nobody knows', [good('')], failed(outcomes.failed.unreachable)],
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
  ['it was received when the server says', [{ answer: { ok: true, body: '{}', at: 5 } }], { ...SENT, at: 5 }],
  [
    'what has a code is the function’s own, so it’s known that nothing was sent',
    [bad('{"code":"NOT_STORED","error":"No."}')],
    refused('No.', contactForm.status.failed),
  ],
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

test.each([
  [24, 'Received Tue 10:40\nreply by Wed 10:40'],
  // A weekday alone would mean an earlier one.
  [336, 'Received Tue, Jan 1, 10:40\nreply by Tue, Jan 15, 10:40'],
])('a stamp gives the local time of a message, and of its answer %i hours later', (hours, stamp) => {
  const received = new Date(2030, 0, 1, 10, 40).getTime();
  expect(stampOf('Received {received} · reply by {replyBy}', hours, received, 'en-CA')).toBe(stamp);
});

test('an update changes what it names and keeps the rest, and nothing brings back a toast that’s gone or was replaced', () => {
  let shown: Toast | undefined;
  renderToasts((next) => {
    shown = next;
  });
  const first = toast({ title: 'Sending', description: 'Wait', variant: 'destructive' });
  first.update({ description: 'Still waiting' });
  const updated = { title: 'Sending', description: 'Still waiting', variant: 'destructive' };
  expect(shown).toMatchObject({ ...updated, open: true });
  first.dismiss();
  first.update({ title: 'Back' });
  expect(shown).toMatchObject({ ...updated, open: false });
  toast({ title: 'Second', description: '' });
  first.dismiss();
  first.update({ title: 'Late' });
  expect(shown).toMatchObject({ title: 'Second', open: true });
});
