import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { isLocalNetwork } from './local-network.ts';
import { assert, Refusal, readServerUrl } from './server-url.ts';

export type PostgresAddress = ReturnType<typeof parsePostgresUrl>;

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…` as Postgres' own programs do, with one
 * difference: without `sslmode`, the connection is encrypted unless it stays on this machine or in a private
 * network. Parameters added by other programs are ignored. `host` may be the folder of a Unix socket.
 *
 * @throws without a word of the password
 */
export function parsePostgresUrl(text: string) {
  const { path: database, parameters, ...url } = readServerUrl(text, /^postgres(ql)?:$/);
  const given = (name: 'port' | 'user' | 'password') => url[name] || parameters.get(name) || undefined;
  const host = parameters.get('host') ?? url.host;
  assert(host && database && !database.includes('/'));
  assert(
    !host.includes(','),
    'names several hosts; name one, which must take writes: the primary, or a name that follows it',
  );
  const port = Number(given('port') ?? 5432);
  return {
    host,
    port,
    user: given('user'),
    password: given('password'),
    database,
    ssl: readSsl(host, parameters),
    location: `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`,
  };
}

function readSsl(host: string, parameters: URLSearchParams): ConnectionOptions | false {
  const mode = parameters.get('sslmode') ?? (isLocalNetwork(host) ? 'disable' : 'require');
  // Some drivers call it `ssl`; `prefer` and `allow` go on without encryption wherever it fails.
  assert(
    SSL_MODES.includes(mode) && !parameters.has('ssl'),
    `needs sslmode with one of ${SSL_MODES.join(', ')} to say whether it’s encrypted`,
  );
  if (mode === 'disable') return false;
  const file = parameters.get('sslrootcert');
  let ca: string | undefined;
  try {
    // `system` is the machine's trust store, the default.
    if (file && file !== 'system') ca = readFileSync(file, 'utf8');
  } catch {
    throw new Refusal(`names a certificate file in sslrootcert that cannot be read: ${file}`);
  }
  // With a CA, libpq verifies in this mode too.
  if (mode === 'require' && !ca) return { rejectUnauthorized: false };
  return {
    ...(ca && { ca }),
    // verify-ca accepts any host name.
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}
