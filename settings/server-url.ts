import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { domainToASCII } from 'node:url';
import { isLocalNetwork } from './local-network.ts';

/** What's wrong with a setting, as the end of a sentence that starts with its name. It never repeats a secret. */
export class Refusal extends Error {}

/** @throws {Refusal} if there's more to say than the setting's meaning */
export function assert(isRight: unknown, why?: string): asserts isRight {
  if (!isRight) throw why ? new Refusal(why) : new RangeError();
}

/** Reads `scheme://user:password@host:port/path?name=value`. What's left out is empty; `host` is in ASCII. */
function readServerUrl(text: string, schemes: RegExp) {
  const url = new URL(text);
  // A /, ? or # in a password would end the host early, and name another one. The rest then has the @.
  assert(schemes.test(url.protocol) && !url.hash && !/@/.test(url.pathname + url.search));
  return {
    protocol: url.protocol,
    host: domainToASCII(decodeURIComponent(url.hostname)).replace(/^\[|\]$/g, ''),
    port: url.port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    path: decodeURIComponent(url.pathname).slice(1),
    parameters: url.searchParams,
  };
}

const locationOf = (host: string, port: number | string) =>
  (host.includes(':') ? `[${host}]` : host) + (port && `:${port}`);

/** Other ports start without encryption and then ask for it, which `requireTLS` enforces. */
export const ENCRYPTED_PORTS = ['465', '2465'];

export type SmtpAddress = ReturnType<typeof parseSmtpUrl>;

/** Reads `smtps://user:password@host:port`, with `requireTLS`, `authMethod` and two of `tls`. */
export function parseSmtpUrl(text: string) {
  const { protocol, host, port, user, password, path, parameters } = readServerUrl(text, /^smtps?:$/);
  assert(host && !path);
  /** Encrypted from the start, and not only by STARTTLS. */
  const secure = protocol === 'smtps:' || ENCRYPTED_PORTS.includes(port);
  const flag = (name: string) => {
    const value = parameters.get(name);
    return value === null ? undefined : !/^(false|0)$/i.test(value);
  };
  return {
    host,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    login: user || password ? { user, password } : undefined,
    authMethod: parameters.get('authMethod') ?? undefined,
    requireTLS: flag('requireTLS'),
    tls: {
      // A relay nearby often has a self-signed certificate; without STARTTLS, it would get mail in the clear.
      rejectUnauthorized: flag('tls.rejectUnauthorized') ?? (secure || !isLocalNetwork(host)),
      servername: parameters.get('tls.servername') ?? undefined,
    },
    location: locationOf(host, port),
  };
}

export type PostgresAddress = ReturnType<typeof parsePostgresUrl>;

const SSL_MODES = ['disable', 'require', 'verify-full'];

/**
 * Without `sslmode`, the connection is encrypted unless it stays on this machine or in a private network. Parameters of
 * other programs are ignored. `host` may be the folder of a Unix socket.
 */
export function parsePostgresUrl(text: string) {
  const { path: database, parameters, ...url } = readServerUrl(text, /^postgres(ql)?:$/);
  const given = (name: 'port' | 'user' | 'password') => url[name] || parameters.get(name) || undefined;
  const host = parameters.get('host') ?? url.host;
  assert(host && database && !database.includes('/'));
  const port = Number(given('port') ?? 5432);
  assert(port > 0 && port < 65_536);
  return {
    host,
    port,
    user: given('user'),
    password: given('password'),
    database,
    ssl: readSsl(host, parameters),
    location: `${locationOf(host, port)}/${database}`,
  };
}

function readSsl(host: string, parameters: URLSearchParams): ConnectionOptions | false {
  const file = parameters.get('sslrootcert');
  const mode = parameters.get('sslmode') ?? (isLocalNetwork(host) && !file ? 'disable' : 'require');
  // Some drivers call it `ssl`; `prefer` and `allow` go on without encryption wherever it fails.
  assert(
    SSL_MODES.includes(mode) && !parameters.has('ssl'),
    `needs sslmode with one of ${SSL_MODES.join(', ')} to say whether it’s encrypted`,
  );
  if (mode === 'disable') return false;
  let ca: string | undefined;
  try {
    if (file) ca = readFileSync(file, 'utf8');
  } catch {
    throw new Refusal('names a certificate file in sslrootcert that cannot be read');
  }
  // Naming an authority means it should be checked.
  return { ca, rejectUnauthorized: mode === 'verify-full' || ca !== undefined };
}
