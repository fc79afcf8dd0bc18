import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { isLocalNetwork } from './local-network.ts';

export type PostgresAddress = {
  /** A host name, an address, or the folder of a Unix socket. */
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string;
  ssl: ConnectionOptions | false;
  /** Host, port and database, for people. */
  location: string;
};

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
/**
 * Reads `postgres://user:password@host:port/database?sslmode=…` as Postgres' own programs do, with one
 * difference: without `sslmode`, the connection is encrypted unless it stays on this machine or in a private
 * network. Parameters added by other programs are ignored.
 *
 * @returns the address, or what's wrong with it; never mentions the password
 */
export function parsePostgresUrl(text: string): PostgresAddress | string {
  const url = URL.parse(text);
  // From the text, since several hosts with ports aren't a valid URL.
  const [, authority = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(text) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1) || url?.searchParams.get('host');
  if (hosts?.includes(','))
    return 'names several hosts; name one, which must take writes: the primary, or a name that follows it';
  // An unescaped /, ? or # in the password would end the host early, and name another one. What's typed after it has the @.
  const isCut = text.slice(text.indexOf(authority) + authority.length).includes('@');
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || isCut || url.hash || /^\/.*[/@]/.test(url.pathname))
    return 'is not postgres:// followed by user:password@host:port/database; in a password, write @ as %40, : as %3A, / as %2F, ? as %3F and # as %23';
  const host = url.searchParams.get('host') ?? url.hostname.replace(/^\[|\]$/g, '');
  if (!host) return 'names no host, as in postgres://user:password@host:5432/database';
  let parts: string[];
  try {
    parts = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
  } catch {
    return 'has a user, password or database with a bare % sign; write it as %25';
  }
  const user = parts[0] || url.searchParams.get('user') || undefined;
  const password = parts[1] || url.searchParams.get('password') || undefined;
  const database = parts[2];
  if (!database) return 'names no database, as in postgres://user:password@host:5432/database';
  const port = Number(url.port || url.searchParams.get('port') || 5432);
  const ssl = readSsl(host, url.searchParams);
  if (typeof ssl === 'string') return ssl;
  const location = `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
  return { host, port, user, password, database, ssl, location };
}

function readSsl(host: string, parameters: URLSearchParams): ConnectionOptions | false | string {
  const name = parameters.has('ssl') && !parameters.has('sslmode') ? 'ssl' : 'sslmode';
  const said = parameters.get(name) ?? (isLocalNetwork(host) ? 'disable' : 'require');
  // `ssl` comes from other drivers and has its own values.
  const mode =
    name === 'ssl' ? said.replace(/^(true|1|no-verify)$/, 'require').replace(/^(false|0)$/, 'disable') : said;
  if (mode === 'prefer' || mode === 'allow')
    return `has ${name}=${mode}, which goes on without encryption wherever it fails; choose sslmode=require, or sslmode=disable where the network between is your own`;
  if (!SSL_MODES.includes(mode))
    return `has ${name}=${mode}; sslmode with one of ${SSL_MODES.join(', ')} is needed`;
  if (mode === 'disable') return false;
  const file = parameters.get('sslrootcert');
  let ca: string | undefined;
  try {
    // `system` is the machine's trust store, the default.
    if (file && file !== 'system') ca = readFileSync(file, 'utf8');
  } catch {
    return `names a certificate file in sslrootcert that cannot be read: ${file}`;
  }
  // With a CA, libpq verifies in this mode too.
  if (mode === 'require' && !ca) return { rejectUnauthorized: false };
  return {
    ...(ca && { ca }),
    ...(isIP(host) === 0 && { servername: host }),
    // verify-ca accepts any host name.
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}
