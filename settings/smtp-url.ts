import { isLocalNetwork } from './local-network.ts';
import { assert, readServerUrl } from './server-url.ts';

export type SmtpAddress = ReturnType<typeof parseSmtpUrl>;

/**
 * Reads `smtps://user:password@host:port`. Of the parameters, `requireTLS`, `authMethod`, `tls.rejectUnauthorized` and
 * `tls.servername` count.
 *
 * @throws without a word of the text
 */
export function parseSmtpUrl(text: string) {
  const { protocol, host, port, user, password, path, parameters, location } = readServerUrl(
    text,
    /^smtps?:$/,
  );
  assert(host && !path);
  /** Encrypted from the start, and not only by STARTTLS. */
  const secure = protocol === 'smtps:';
  const flag = (name: string) => {
    const value = parameters.get(name);
    return value === null ? undefined : !/^(false|0)$/i.test(value);
  };
  const servername = parameters.get('tls.servername');
  return {
    host,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    login: user || password ? { user, password } : undefined,
    authMethod: parameters.get('authMethod') ?? undefined,
    requireTLS: flag('requireTLS'),
    tls: {
      // A relay nearby often encrypts with a certificate of its own; without STARTTLS, it would get mails in the clear.
      rejectUnauthorized: flag('tls.rejectUnauthorized') ?? (secure || !isLocalNetwork(host)),
      ...(servername && { servername }),
    },
    location,
  };
}
