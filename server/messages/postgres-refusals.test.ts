import dns from 'node:dns';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { postgresError, refusing } from '../../tests/support/database/test-postgres.ts';
import type { DatabaseOptions } from './database.ts';
import { openDatabase } from './open.ts';
import { DatabaseAway, StoreError } from './store-error.ts';

/** A database in which nothing is kept. */
const server = () => `${inject('postgres')}/postgres`;

/** `away`, if the same settings may do later, and what the owner reads. */
async function refusalOf(url: string, options: DatabaseOptions = {}): Promise<string> {
  const error = await openDatabase({ engine: 'postgres', url }, options).then(
    (database) => database.close().then(() => 'opened'),
    (error: unknown) => error,
  );
  if (!(error instanceof StoreError)) throw new Error('It is no error for the owner', { cause: error });
  expect(error.message).not.toContain(new URL(inject('postgres')).password);
  return `${error instanceof DatabaseAway ? 'away' : 'wrong'}: ${error.message}`;
}

test('what keeps it from being used is said in words, without the password', async () => {
  const url = server();
  expect(await refusalOf(`${url}?sslmode=require`)).toMatch(
    /^wrong: .*offers no encryption.*sslmode=disable/,
  );
  expect(await refusalOf(await refusing(''))).toMatch(/^away: .* does not answer\.$/);
});

test.each([
  ['57P03', 'the database system is starting up', 'away: .* does not answer .57P03'],
  ['53300', 'sorry, too many clients already', 'away: .* has no connection or space left .53300'],
  ['08P01', 'server login has been failing', 'away: .* does not answer .08P01'],
  ['28P01', 'no', 'wrong: .* refuses the user or password .28P01.. Check DATABASE_URL.'],
  ['3D000', 'no', 'wrong: The Postgres server has no database of that name: 127.0.0.1:'],
  ['42501', 'no', 'wrong: .*may not make tables .*: grant create on schema public. Check DATABASE_URL.'],
  ['XX000', 'no', 'wrong: .* cannot be used .XX000.. Check DATABASE_URL.'],
])('a login that is refused with %s, %s, is said in words', async (code, text, words) => {
  const refusal = await refusalOf(await refusing(postgresError(code, text)));
  expect(refusal).toMatch(new RegExp(`^${words}`));
});

test.each([
  ['ENOTFOUND', 'away: .*db.test:5432/contact does not answer'],
  ['ECONNREFUSED', 'away: .*db.test:5432/contact does not answer .ECONNREFUSED'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'wrong: The certificate .* cannot be trusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong: The certificate .*Use the name that it’s for'],
])('what this machine says of the way to Postgres, as %s, is said in words', async (code, words) => {
  const fault = Object.assign(new Error('no'), code && { code });
  vi.spyOn(dns, 'lookup').mockImplementation(((_: string, __: object, done: (error: Error) => void) =>
    done(fault)) as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const url = 'postgres://postgres@db.test/contact?sslmode=verify-full';
  expect(await refusalOf(url)).toMatch(new RegExp(`^${words}`));
});

test('a wrong setting is no reason to wait', async () => {
  const onAway = vi.fn();
  expect(await refusalOf(await refusing(postgresError('28P01', 'no')), { onAway })).toMatch(/^wrong: /);
  expect(onAway).not.toHaveBeenCalled();
});
