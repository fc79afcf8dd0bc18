import { expect, test } from 'vitest';
import { claimed, START } from '../../tests/support/service/open-test-service.ts';
import { classifyMailError, describeFault, retryWait } from './faults.ts';

test.each([
  [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, 'setup smtp-535'],
  [{ code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 504 }, 'setup smtp-504'],
  [{ code: 'EAUTH', command: 'API' }, 'setup EAUTH'],
  [{ code: 'ENOAUTH', command: 'API' }, 'setup ENOAUTH'],
  [{ code: 'EOAUTH2', command: 'API' }, 'setup EOAUTH2'],
  [{ command: 'AUTH PLAIN' }, 'setup error'],
  [{ code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 530 }, 'setup smtp-530'],
  [{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 500 }, 'refused smtp-500'],
  [{ code: 'EMESSAGE', command: 'DATA', responseCode: 503 }, 'retry smtp-503'],
  [{ code: 'EPROTOCOL', command: 'HELO', responseCode: 502 }, 'unreachable smtp-502'],
  [{ code: 'ESOCKET', command: 'CONN' }, 'unreachable ESOCKET'],
  [{ command: 'CONN', responseCode: 554 }, 'unreachable smtp-554'],
  [{ command: 'EHLO', responseCode: 451 }, 'unreachable smtp-451'],
  [{ command: 'STARTTLS', responseCode: 554 }, 'unreachable smtp-554'],
  [{ command: 'DATA', responseCode: 421 }, 'unreachable smtp-421'],
  [{ command: 'DATA', responseCode: 451 }, 'retry smtp-451'],
  [{ command: 'MAIL FROM', responseCode: 550 }, 'setup smtp-550'],
  [{ command: 'RCPT TO', responseCode: 535 }, 'setup smtp-535'],
  [{ code: 'ETIMEDOUT', command: 'CONN', timeoutType: 'GREETING_TIMEOUT' }, 'unreachable ETIMEDOUT'],
  [{ code: 'ETIMEDOUT', command: 'CONN', timeoutType: 'SOCKET_TIMEOUT' }, 'slow ETIMEDOUT'],
  [{ code: 'EABORT' }, 'slow EABORT'],
  [{ code: 17 }, 'unreachable error'],
])('an error with %j is labelled %s', (facts, label) => {
  const error = Object.assign(new Error('with the words of the server'), facts);
  expect(classifyMailError(error)).toEqual({ kind: label.split(' ')[0], label });
});

test('whatever else is thrown counts as a mail server out of reach', () => {
  for (const thrown of [undefined, null, 'text'])
    expect(classifyMailError(thrown).label).toBe('unreachable error');
});

test.each([
  ['retry smtp-451', 'the mail server put it off (code 451)'],
  ['unreachable ETIMEDOUT', 'the mail server could not be reached (ETIMEDOUT)'],
  ['setup smtp-535', 'the mail server refuses our login or sender (code 535)'],
  ['slow ETIMEDOUT', 'the mail server gave no answer (ETIMEDOUT)'],
  ['retry', 'the mail server put it off'],
  ['toString EOLD', 'no reason is known (EOLD)'],
  ['', 'no reason is known'],
  [null, 'no reason is known'],
  [undefined, 'no reason is known'],
])('the owner reads the fault %j as “%s”', (label, words) => {
  expect(describeFault(label)).toBe(words);
});

test('the wait after each failure is as the plan says, and a little longer or shorter by chance', () => {
  const waits = (random: number) =>
    [0, 1, 2, 3, 4, 5, 6, 10].map(
      (failures) => (retryWait(claimed({ failures, firstFailureAt: START }), START, random) ?? 0) / 1000,
    );
  expect(waits(0)).toEqual([10, 30, 120, 600, 1800, 3600, 10_800, 10_800]);
  expect(waits(1)).toEqual([12, 36, 144, 720, 2160, 4320, 7200, 7200]);
});

test('a message is given up after twelve failures and five days, not before', () => {
  const DAY = 86_400_000;
  const wait = (failures: number, firstFailureAt: number | null, now: number) =>
    retryWait(claimed({ failures, firstFailureAt }), now, 0);
  expect(wait(11, START, START + 5 * DAY)).toBeUndefined();
  expect(wait(11, START, START + 5 * DAY - 1)).toBe(10_800_000);
  expect(wait(10, START, START + 6 * DAY)).toBe(10_800_000);
  expect(wait(11, null, START)).toBe(10_800_000);
});
