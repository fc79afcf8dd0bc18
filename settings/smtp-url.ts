import { isLocalNetwork } from './local-network.ts';

export type SmtpAddress = {
  /** A host name or an address, IPv6 without brackets. */
  host: string;
  port: number;
  /** Encrypted from the start, and not only by STARTTLS. */
  secure: boolean;
  login: { user: string; password: string } | undefined;
  authMethod: string | undefined;
  /** Undefined if SMTP_URL doesn't say it. */
  requireTLS: boolean | undefined;
  tls: { rejectUnauthorized: boolean; servername?: string };
  /** Host and port, for people. */
  location: string;
};

const SCHEME = /^(smtps?):\/\//i;
const PLACE = /^(\[[\da-f:.]+\]|[^\s:/?#[\]@\\%]+)(?::(\d{1,5}))?\/?(?:\?(.*))?$/is;
const WANTED = 'is not smtp:// or smtps:// followed by user:password@host:port';

const escaped = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
const bareSign = (sign: string) =>
  `has ${sign === '%' ? 'a % sign' : sign} in the user or password; write it as ${escaped(sign)}`;

/**
 * Reads `smtps://user:password@host:port`. What comes after the last @ is the host, so a sign of a password that isn't
 * escaped is found rather than taken for the end of it. Of the parameters, `requireTLS`, `authMethod`,
 * `tls.rejectUnauthorized` and `tls.servername` count.
 *
 * @returns the address, or what's wrong with it; never mentions the user or password
 */
export function parseSmtpUrl(text: string): SmtpAddress | string {
  const [start = '', scheme = ''] = SCHEME.exec(text) ?? [];
  if (!start) return WANTED;
  const rest = text.slice(start.length);
  const at = rest.lastIndexOf('@');
  const typed = rest.slice(0, Math.max(at, 0));
  const sign = /[#?/]/.exec(typed)?.[0] ?? (/%(?![\da-f]{2})/i.test(typed) ? '%' : undefined);
  if (sign) return bareSign(sign);
  const after = rest.slice(at + 1);
  const [, named, port, query] = PLACE.exec(after) ?? [];
  const stray = /[#/?]/.exec(after)?.[0];
  if (!named) return stray ? `${WANTED}; ${stray} in a password is written as ${escaped(stray)}` : WANTED;
  // Read as the host of a web address, since that turns a name in any script to ASCII.
  const hostname = URL.parse(`http://${named}`)?.hostname;
  if (!hostname || Number(port) > 65_535) return WANTED;
  const [user = '', ...password] = typed.split(':');
  const login = decoded([user, password.join(':')]);
  if (!login) return 'has %XX in the user or password that is no letter; a % sign is written as %25';
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = scheme.toLowerCase() === 'smtps';
  const parameters = new URLSearchParams(query);
  const flag = (name: string) => {
    const value = parameters.get(name);
    return value === null ? undefined : !/^(false|0)$/i.test(value);
  };
  const servername = parameters.get('tls.servername');
  return {
    host,
    port: Number(port ?? (secure ? 465 : 587)),
    secure,
    login: at < 0 || (!login[0] && !login[1]) ? undefined : { user: login[0], password: login[1] },
    authMethod: parameters.get('authMethod') ?? undefined,
    requireTLS: flag('requireTLS'),
    tls: {
      // A relay nearby often encrypts with a certificate of its own; without STARTTLS, it would get mails in the clear.
      rejectUnauthorized: flag('tls.rejectUnauthorized') ?? (secure || !isLocalNetwork(host)),
      ...(servername && { servername }),
    },
    location: port ? `${hostname}:${port}` : hostname,
  };
}

function decoded([user, password]: [string, string]): [string, string] | undefined {
  try {
    return [decodeURIComponent(user), decodeURIComponent(password)];
  } catch {
    return undefined;
  }
}
