import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../settings/settings.ts';
import { about, type Check, type CheckContext, runChecks } from './check.ts';
import { CHECKS } from './examine.ts';
import { testMail } from './test-mail.ts';

const subject = (what: string) => about('messages', what, what);
const check = (what: string, run: Check['run'], change: Partial<Check> = {}): Check => ({
  about: subject(what),
  limitMs: 5_000,
  run,
  ...change,
});
const CONTEXT: CheckContext = {
  settings: readSettings({}),
  settingsFindings: [],
  now: 0,
  ownUrl: 'http://127.0.0.1:8080',
  dnsServer: undefined,
  database: () => never(),
};
const never = () => new Promise<never>(() => undefined);

test('a check that throws, hangs or lacks its setting hides no other, and the order stays', async () => {
  let calledOff = false;
  const findings = await runChecks(
    [
      check('throws', () => Promise.reject(Object.assign(new Error('secret words'), { code: 'ENOENT' }))),
      check('hangs', never, { limitMs: 20 }),
      check('is not for these settings', never, { when: ({ siteUrl }) => siteUrl !== undefined }),
      check('needs', never, { needs: ['PORT', 'HOST'] }),
      check('needs two', never, { needs: ['PORT', 'MAIL_DIR'] }),
      check('works', async () => [subject('works').ok('Fine.'), subject('works').ok('Fine too.')]),
      check(
        'is called off',
        (_, signal) => {
          signal.addEventListener('abort', () => {
            calledOff = true;
          });
          return never();
        },
        { limitMs: 20 },
      ),
    ],
    CONTEXT,
    ['PORT', 'MAIL_DIR'],
  );
  expect(findings.map(({ what, verdict, found }) => `${what} ${verdict}: ${found}`)).toEqual([
    'throws wrong: This couldn’t be checked: ENOENT.',
    'hangs wrong: No answer within 0.02 seconds.',
    'needs look: Not checked, because PORT is wrong.',
    'needs two look: Not checked, because PORT and MAIL_DIR are wrong.',
    'works ok: Fine.',
    'works ok: Fine too.',
    'is called off wrong: No answer within 0.02 seconds.',
  ]);
  expect(calledOff).toBe(true);
});

test('checks are made at the same time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const findings = await runChecks(
    [
      check('first', async () => {
        await promise;
        return [subject('first').ok('After the second.')];
      }),
      check('second', async () => {
        resolve();
        return [subject('second').ok('Before the first.')];
      }),
    ],
    CONTEXT,
  );
  expect(findings.map(({ found }) => found)).toEqual(['After the second.', 'Before the first.']);
});

test('every check is on the list and in the guide', async () => {
  const files = readdirSync(import.meta.dirname).flatMap((file) => /^[\w-]+(?=\.ts$)/.exec(file) ?? []);
  const found = new Set<unknown>();
  for (const file of files) {
    const path = `./${file}.ts`;
    for (const exported of Object.values(await import(path))) {
      if (typeof exported === 'object' && exported !== null && 'run' in exported && exported !== testMail)
        found.add(exported);
    }
  }
  expect(new Set(Object.values(CHECKS))).toEqual(found);
  const guide = readFileSync(join(import.meta.dirname, '../../docs/desk.md'), 'utf8');
  expect(Object.keys(CHECKS).filter((name) => !guide.includes(`| \`${name}\` |`))).toEqual([]);
});
