import { domainToASCII } from 'node:url';

/** What's wrong with a setting, as the end of a sentence that starts with its name. It never repeats the text. */
export class Refusal extends Error {}

/** @throws {Refusal} if there's more to say than what's wanted */
export function assert(isRight: unknown, why?: string): asserts isRight {
  if (!isRight) throw why ? new Refusal(why) : new RangeError();
}

/** For people. */
export const ESCAPED =
  'in a user or password, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25';

/**
 * Reads `scheme://user:password@host:port/path?name=value`. What's left out is empty.
 *
 * @returns `host` in ASCII, IPv6 without brackets; `location` is host and port for people
 * @throws if the scheme is another, or a sign of the user or password isn't escaped
 */
export function readServerUrl(text: string, schemes: RegExp) {
  const { protocol, username, password, hostname, port, pathname, searchParams, search, hash } = new URL(
    text,
  );
  // A /, ? or # in a password would end the host early, and name another one. What's typed after it has the @.
  assert(schemes.test(protocol) && !hash && !/@/.test(pathname + search));
  const named = domainToASCII(decodeURIComponent(hostname));
  return {
    protocol,
    host: named.replace(/^\[|\]$/g, ''),
    port,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    path: decodeURIComponent(pathname).slice(1),
    parameters: searchParams,
    location: port ? `${named}:${port}` : named,
  };
}
