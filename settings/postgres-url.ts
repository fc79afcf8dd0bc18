import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { isNear } from './near.ts';

export type PostgresAddress = {
  /** A host name, an address, or the folder of a Unix socket. */
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  ssl: ConnectionOptions | false;
  /** Host, port and database, for people. */
  place: string;
};

type Parsed = { ok: true; value: PostgresAddress } | { ok: false; problem: string };

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
/** The parameter `ssl` of other drivers, in words of `sslmode`. */
const SSL_WORDS: Record<string, string> = {
  true: 'require',
  1: 'require',
  'no-verify': 'require',
  false: 'disable',
  0: 'disable',
};

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…` as Postgres' own programs do, with one
 * difference: without `sslmode` the connection is encrypted unless it stays on this machine or in a private
 * network. Parameters that other programs add to such an address are ignored. A problem never repeats the
 * address, which holds a password.
 */
export function parsePostgresUrl(text: string): Parsed {
  const url = URL.parse(text);
  // Of the text, since a list of hosts with their ports is no URL.
  const [, authority = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(text) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1) || url?.searchParams.get('host');
  if (hosts?.includes(',')) {
    const problem =
      'names several hosts; name one, which must take writes: the primary, or a name that follows it';
    return { ok: false, problem };
  }
  // A bare / or @ in the password ends up in the path.
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || /^\/.*[/@]/.test(url.pathname)) {
    const problem =
      'is not postgres:// followed by user:password@host:port/database; in a password, write @ as %40, : as %3A, / as %2F and # as %23';
    return { ok: false, problem };
  }
  const host = url.searchParams.get('host') ?? url.hostname.replace(/^\[|\]$/g, '');
  if (!host)
    return { ok: false, problem: 'names no host, as in postgres://user:password@host:5432/database' };
  let user: string;
  let password: string;
  let database: string;
  try {
    user = decodeURIComponent(url.username) || (url.searchParams.get('user') ?? '');
    password = decodeURIComponent(url.password) || (url.searchParams.get('password') ?? '');
    database = decodeURIComponent(url.pathname.slice(1));
  } catch {
    return { ok: false, problem: 'has a user, password or database with a bare % sign; write it as %25' };
  }
  if (!database)
    return { ok: false, problem: 'names no database, as in postgres://user:password@host:5432/database' };
  const port = Number(url.port || url.searchParams.get('port') || 5432);
  const ssl = readSsl(host, url.searchParams);
  if ('problem' in ssl) return { ok: false, problem: ssl.problem };
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
  return {
    ok: true,
    value: {
      host,
      port,
      user: user || undefined,
      password: password || undefined,
      database,
      ssl: ssl.value,
      place,
    },
  };
}

function readSsl(
  host: string,
  parameters: URLSearchParams,
): { value: ConnectionOptions | false } | { problem: string } {
  const name = parameters.has('ssl') && !parameters.has('sslmode') ? 'ssl' : 'sslmode';
  const said = parameters.get(name) ?? (isNear(host) ? 'disable' : 'require');
  const mode = (name === 'ssl' && SSL_WORDS[said]) || said;
  if (mode === 'prefer' || mode === 'allow') {
    return {
      problem: `has ${name}=${mode}, which goes on without encryption wherever it fails; choose sslmode=require, or sslmode=disable where the network between is your own`,
    };
  }
  if (!SSL_MODES.includes(mode)) {
    return { problem: `has ${name}=${mode}; sslmode with one of ${SSL_MODES.join(', ')} is needed` };
  }
  if (mode === 'disable') return { value: false };
  const file = parameters.get('sslrootcert');
  let ca: string | undefined;
  try {
    // `system` is what the trust store of this machine knows, as it is without a file.
    if (file && file !== 'system') ca = readFileSync(file, 'utf8');
  } catch {
    return { problem: `names a certificate file in sslrootcert that cannot be read: ${file}` };
  }
  // With an authority, libpq checks it in this mode as well.
  if (mode === 'require' && !ca) return { value: { rejectUnauthorized: false } };
  return {
    value: {
      ...(ca && { ca }),
      ...(isIP(host) === 0 && { servername: host }),
      // Any name on a certificate that the authority has signed.
      ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    },
  };
}
