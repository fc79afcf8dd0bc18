import type { PostgresAddress } from '../../settings/postgres-url.ts';
import { codeOf, DatabaseAway, StoreError } from './store-error.ts';

/** The timeout for connecting, or for getting a free connection from the pool. */
export const CONNECT_MS = 3_000;

/** What comes and goes: the network, names in it, starts and stops, connections and room. */
const AWAY =
  /^(ENOTFOUND|EAI_AGAIN|ECONN\w+|E(HOST|NET)UNREACH|ENOENT|EPIPE|ETIMEDOUT|57P0[123]|53...|08...)$/;

/**
 * The faults that people meet, in words, and the code of any other. Leaves out the driver's and Postgres's own words, which
 * may repeat the password or a user name.
 */
export function explain(error: unknown, { location, ssl }: PostgresAddress): StoreError {
  const code = codeOf(error);
  const message = String(error);
  const said = code && ` (${code})`;
  const wrong = (sentence: string) => new StoreError(`${sentence} Check DATABASE_URL.`, { cause: error });
  if (AWAY.test(code) || /time(d )?out|Connection terminated/i.test(message)) {
    const full = code.startsWith('53') ? 'has no connection or space left' : 'does not answer';
    return new DatabaseAway(`The Postgres server at ${location} ${full}${said}.`, { cause: error });
  }
  if (/^28/.test(code) || /password/i.test(message))
    return wrong(
      `The Postgres server at ${location} refuses the user or password (${code || 'no password'}).`,
    );
  if (code === '3D000') return wrong(`The Postgres server has no database of that name: ${location}.`);
  if (/does not support SSL/i.test(message)) {
    return wrong(
      `The Postgres server at ${location} offers no encryption. Where the network between is your own, add ?sslmode=disable.`,
    );
  }
  if (ssl && /CERT|VERIFY|SSL|TLS/.test(code)) {
    return wrong(
      `The certificate of the Postgres server at ${location} cannot be trusted${said}. Use the name that it’s for, and name its authority with sslrootcert=FILE.`,
    );
  }
  if (code === '42501')
    return wrong(
      `The user may not make tables at ${location}${said}. Give it the right: grant create on schema public.`,
    );
  return wrong(`The Postgres database at ${location} cannot be used${said}.`);
}
