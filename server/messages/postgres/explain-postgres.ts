import type { PostgresAddress } from '../../../settings/postgres-url.ts';
import { codeOf, DatabaseAway, StoreError } from '../store-error.ts';

/** The timeout for connecting, or for getting a free connection from the pool. */
export const CONNECT_MS = 3_000;

/** Leaves out the driver's and Postgres's own words, which may repeat the password or a user name. */
export function explain(error: unknown, { place, ssl }: PostgresAddress): StoreError {
  const code = codeOf(error);
  const message = String(error);
  const away = (sentence: string) => new DatabaseAway(sentence, { cause: error });
  const because = (sentence: string) => new StoreError(`${sentence} Check DATABASE_URL.`, { cause: error });
  // Container and managed-database names come and go with them.
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return away(`The Postgres server of ${place} is not found: no machine has that name (${code}).`);
  }
  if (/^E(CONNREFUSED|HOSTUNREACH|NETUNREACH|NOENT|CONNRESET|PIPE|TIMEDOUT)$/.test(code)) {
    return away(`No Postgres server answers at ${place} (${code}).`);
  }
  if (/^57P0[123]$/.test(code))
    return away(`The Postgres server at ${place} is starting or stopping (${code}).`);
  if (/time(d )?out/i.test(message)) {
    return away(`The Postgres server at ${place} does not answer within ${CONNECT_MS / 1000} seconds.`);
  }
  if (/^53/.test(code))
    return away(`The Postgres server at ${place} has no connection or space left (${code}).`);
  if (code === '28P01' || code === '28000' || /password/i.test(message)) {
    return because(
      `The Postgres server at ${place} refuses the user or password (${code || 'no password'}).`,
    );
  }
  if (code === '3D000') return because(`The Postgres server has no database of that name: ${place}.`);
  if (/does not support SSL/i.test(message)) {
    return because(
      `The Postgres server at ${place} offers no encryption. Where the network between is your own, add ?sslmode=disable.`,
    );
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return because(
      `The Postgres server at ${place} shows a certificate for another name. Use the name that it’s for, or sslmode=verify-ca.`,
    );
  }
  if (ssl && /CERT|VERIFY|SSL|TLS/.test(code)) {
    return because(
      `The certificate of the Postgres server at ${place} cannot be trusted (${code}). Name its authority with sslrootcert=FILE.`,
    );
  }
  if (code === '42501') {
    return because(
      `The user in DATABASE_URL may not make tables at ${place} (${code}). Give it the right: grant create on schema public.`,
    );
  }
  if (/^08/.test(code) || /Connection terminated/.test(message))
    return away(`The Postgres server at ${place} breaks the connection off${code && ` (${code})`}.`);
  return because(`The Postgres database at ${place} cannot be used${code && ` (${code})`}.`);
}
