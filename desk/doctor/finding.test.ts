import { expect, test } from 'vitest';
import { about, type Check, runChecks } from './finding.ts';

const subject = (what: string) => about('messages', what, what);
const check = (what: string, run: Check['run'], change: Partial<Check> = {}): Check => ({
  about: subject(what),
  limitMs: 5_000,
  run,
  ...change,
});
const never = () => new Promise<never>(() => undefined);

test('a check that throws, hangs or lacks its setting hides no other, and the order stays', async () => {
  let calledOff = false;
  const findings = await runChecks(
    [
      check('throws', () => Promise.reject(Object.assign(new Error('secret words'), { code: 'ENOENT' }))),
      check('hangs', never, { limitMs: 20 }),
      check('hangs kindly', never, { limitMs: 20, late: subject('hangs kindly').look('Late.', 'Wait.') }),
      check('needs', never, { needs: ['PORT', 'HOST'] }),
      check('needs two', never, { needs: ['PORT', 'MAIL_DIR'] }),
      check('works', async () => [subject('works').ok('Fine.'), subject('works').ok('Fine too.')]),
      check(
        'is called off',
        (signal) => {
          signal.addEventListener('abort', () => {
            calledOff = true;
          });
          return never();
        },
        { limitMs: 20 },
      ),
    ],
    ['PORT', 'MAIL_DIR'],
  );
  expect(findings.map(({ what, verdict, found }) => `${what} ${verdict}: ${found}`)).toEqual([
    'throws wrong: This could not be looked at: ENOENT.',
    'hangs wrong: No answer within 0.02 seconds.',
    'hangs kindly look: Late.',
    'needs look: Not looked at, because PORT is wrong.',
    'needs two look: Not looked at, because PORT and MAIL_DIR are wrong.',
    'works ok: Fine.',
    'works ok: Fine too.',
    'is called off wrong: No answer within 0.02 seconds.',
  ]);
  expect(calledOff).toBe(true);
});

test('checks are made at the same time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const findings = await runChecks([
    check('first', async () => {
      await promise;
      return [subject('first').ok('After the second.')];
    }),
    check('second', async () => {
      resolve();
      return [subject('second').ok('Before the first.')];
    }),
  ]);
  expect(findings.map(({ found }) => found)).toEqual(['After the second.', 'Before the first.']);
});
