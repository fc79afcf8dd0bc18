import { Buffer } from 'node:buffer';
import { isAbsolute, relative, resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import { RFC_EMAIL_REGEX } from 'valibot';
import { inRanges } from './local-network.ts';
import { assert, ESCAPED, parsePostgresUrl, parseSmtpUrl } from './server-url.ts';

/** How a setting's text is read: if `read` throws, it's wrong, and `wanted`, as the end of a sentence, says what's right. */
export type Check<T> = Readonly<{ wanted: string; read: (text: string, root: string) => T }>;

/** What DATABASE_URL names. `file` is an absolute path. */
export type DatabaseSetting = Readonly<
  { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }
>;

export type MailBox = Readonly<{ name: string; address: string }>;

const check = <T>(wanted: string, read: Check<T>['read']): Check<T> => ({ wanted, read });

const textThat = (isRight: (text: string) => boolean, wanted: string) =>
  check(wanted, (text) => {
    assert(isRight(text));
    return text;
  });

export const wholeNumber = (min: number, max: number) =>
  check(`a whole number from ${min} to ${max} is needed`, (text) => {
    assert(/^\d{1,7}$/.test(text) && Number(text) >= min && Number(text) <= max);
    return Number(text);
  });

/** As mail servers know it: the domain in ASCII. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
}

/** Its domain has a dot: mail for any other goes nowhere on the internet. */
function isMailAddress(text: string): boolean {
  const ascii = asciiAddress(text);
  return RFC_EMAIL_REGEX.test(ascii) && ascii.length <= 254 && /@.+\../.test(ascii);
}

/** As typed: the page shows `info@bücher.example`. */
export const emailAddress = textThat(
  isMailAddress,
  'a whole e-mail address is needed, as in you@example.com',
);

export const mailBox = check(
  'a whole e-mail address is needed, with or without a name before it',
  (text): MailBox => {
    const [, name = '', address = text] = /^([^<>]*)<\s*([^<>]+?)\s*>$/.exec(text) ?? [];
    assert(isMailAddress(address) && !/\p{Cc}/u.test(name));
    return { name: name.trim().replace(/^"(.*)"$/, '$1'), address: asciiAddress(address) };
  },
);

function webAddress(text: string): URL {
  const url = new URL(text);
  assert(/^https?:$/.test(url.protocol) && url.hostname !== '');
  return url;
}

/** Without a slash at the end of the path. */
function plainAddress(text: string) {
  const { username, password, search, hash, origin, pathname } = webAddress(text);
  assert(!(username || password || search || hash), 'has more than scheme, host, port and path');
  return { origin, path: pathname.replace(/\/+$/, '') };
}

const WEB_ADDRESS = 'a whole address with https:// or http:// is needed';

/** May have a path, as a self-hosted Supabase can. */
export const httpUrl = check(WEB_ADDRESS, (text) => {
  const { origin, path } = plainAddress(text);
  return origin + path;
});

export const siteAddress = check(WEB_ADDRESS, (text) => {
  const { origin, path } = plainAddress(text);
  assert(!path, 'has a path; the page is at the root of its host');
  return origin;
});

export const webhookUrl = check('a whole address that starts with https:// or http:// is needed', (text) => {
  const { href, username, password } = webAddress(text);
  assert(
    !(username || password),
    'has a user or password in it, which no webhook needs; a token for ntfy goes behind ?auth=',
  );
  return href;
});

export const hostName = textThat((text) => /^[\w.:-]+$/.test(text), 'a host name or IP address is needed');

/** Never repeated where it's wrong: it may be the secret key in the place of the public one. */
export const publicKey = check('a key is needed', (text) => {
  assert(/^[\x21-\x7e]+$/.test(text), 'has a blank or a character outside ASCII, as no key does');
  const [, claims = ''] = text.split('.');
  const isSecret = /^sb_secret_|"service_role"/.test(text + Buffer.from(claims, 'base64url'));
  assert(!isSecret, 'is the secret key, which the page would show to everybody; it needs the public one');
  return text;
});

export const secret = textThat(
  (text) => /^[\x21-\x7e]{24,}$/.test(text),
  'at least 24 characters are needed, without a blank or a character outside ASCII',
);

function outsideDist(text: string, root: string): string {
  const path = resolve(root, text);
  const way = relative(resolve(root, 'dist'), path);
  const isOutside = way !== '' && (way.startsWith('..') || isAbsolute(way));
  assert(isOutside, 'lies in dist/, which the server publishes and each build empties');
  return path;
}

/** It doesn't have to exist yet. */
export const folder = check('a folder is needed', outsideDist);

export const onOrOff = check('on or off is needed', (text) => {
  assert(/^(on|off)$/i.test(text));
  return /^on$/i.test(text);
});

/** Undefined for never. */
export const retentionDays = check('off, or a whole number of days from 1 to 99999, is needed', (text) => {
  assert(/^(off|[1-9]\d{0,4})$/i.test(text));
  return /^off$/i.test(text) ? undefined : Number(text);
});

export const timeZone = check(
  'a region and city are needed, as in America/Vancouver or Europe/Berlin',
  (text) => new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone,
);

export const databaseUrl = check(
  `“file:” followed by the path of a database file is needed, or postgres:// followed by user:password@host:port/database; ${ESCAPED}`,
  (text, root): DatabaseSetting => {
    if (/^postgres(ql)?:/i.test(text)) {
      parsePostgresUrl(text);
      return { engine: 'postgres', url: text };
    }
    const path = text.replace(/^file:(?:\/\/(?=\/))?/i, '');
    assert(path !== text && /^(?!\/\/|:memory:)./.test(path));
    assert(/^[^?#\0]*[^?#\0/\\]$/.test(path), 'must end with the name of a file and can have no ? or #');
    return { engine: 'sqlite', file: outsideDist(path, root) };
  },
);

export const smtpUrl = check(
  `smtp:// or smtps:// followed by user:password@host:port is needed; ${ESCAPED}`,
  parseSmtpUrl,
);

const list = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The widest private network, fc00::/7. */
const WIDEST = 7;

export const ipOrRange = check(
  'IP addresses or CIDR ranges of your own proxies are needed, with commas between, and none so wide that visitors could invent their own address',
  (text) => {
    for (const range of list(text))
      assert(/^[^/]+(\/\d+)?$/.test(range) && Number(range.split('/')[1] ?? WIDEST) >= WIDEST);
    // It throws for anything else.
    inRanges(list(text));
    return list(text);
  },
);

/** Undefined for any origin. */
export const origins = check('scheme, host and port of each page are needed, with commas between', (text) => {
  if (text === '*') return undefined;
  return list(text).map((entry) => {
    const { origin, path } = plainAddress(entry);
    assert(!entry.includes('*'), 'has a *, which stands for nothing; each page is named');
    assert(!path);
    return origin;
  });
});

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export const logLevel = textThat((text) => LEVELS.includes(text), `one of ${LEVELS.join(', ')} is needed`);
