import { Buffer } from 'node:buffer';
import { isAbsolute, relative, resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import { RFC_EMAIL_REGEX } from 'valibot';
import { inRanges } from './local-network.ts';
import { assert, parsePostgresUrl } from './server-url.ts';

// How the schema reads a setting's text. Each throws if it's wrong.

export type MailBox = Readonly<{ name: string; address: string }>;

export const matching = (pattern: RegExp) => (text: string) => {
  assert(pattern.test(text));
  return text;
};

export const wholeNumber = (min: number, max: number) => (text: string) => {
  const isRight = /^\d{1,7}$/.test(text) && Number(text) >= min && Number(text) <= max;
  assert(isRight, `is ${JSON.stringify(text)}; a whole number from ${min} to ${max} is needed`);
  return Number(text);
};

export const onOrOff = (text: string) => matching(/^(on|off)$/i)(text).toLowerCase() === 'on';

/** Undefined for never. */
export function retentionDays(text: string): number | undefined {
  assert(/^(off|[1-9]\d{0,4})$/i.test(text));
  return /^off$/i.test(text) ? undefined : Number(text);
}

export const timeZone = (text: string) =>
  new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;

export const HOST_NAME = /^[\w.:-]+$/;

/** What follows the @, in lower case. */
export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** In the form that mail servers use: the domain in ASCII. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
}

/** As typed: the page shows `info@bücher.example`. Mail for a domain without a dot goes nowhere on the internet. */
export function emailAddress(text: string): string {
  const ascii = asciiAddress(text);
  assert(RFC_EMAIL_REGEX.test(ascii) && ascii.length <= 254 && /@.+\../.test(ascii));
  return text;
}

export function mailBox(text: string): MailBox {
  const [, name = '', address = text] = /^([^<>]*)<\s*([^<>]+?)\s*>$/.exec(text) ?? [];
  assert(!/\p{Cc}/u.test(name));
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address: asciiAddress(emailAddress(address)) };
}

function webAddress(text: string): URL {
  const url = new URL(text);
  assert(/^https?:$/.test(url.protocol));
  return url;
}

/** Without a trailing slash. May have a path, as a self-hosted Supabase can. */
export function baseAddress(text: string): string {
  const { username, password, search, hash, origin, pathname } = webAddress(text);
  assert(!(username || password || search || hash), 'has more than scheme, host, port and path');
  return origin + pathname.replace(/\/+$/, '');
}

export function siteAddress(text: string): string {
  const address = baseAddress(text);
  assert(address === new URL(address).origin, 'has a path; the page is at the root of its host');
  return address;
}

export function webhookUrl(text: string): string {
  const { href, username, password } = webAddress(text);
  assert(
    !(username || password),
    'has a user or password in it, which no webhook needs; a token for ntfy goes after ?auth=',
  );
  return href;
}

/** Never repeated if it's wrong: it may be the secret key in place of the public one. */
export function publicKey(text: string): string {
  assert(/^[\x21-\x7e]+$/.test(text), 'has a space or a character outside ASCII, which no key has');
  const [, claims = ''] = text.split('.');
  const isSecret = /^sb_secret_|"service_role"/.test(text + Buffer.from(claims, 'base64url'));
  assert(!isSecret, 'is the secret key, which the page would show to everybody; it needs the public one');
  return text;
}

/** It doesn't have to exist yet. */
export function outsideDist(text: string, root: string): string {
  const path = resolve(root, text);
  const way = relative(resolve(root, 'dist'), path);
  const isOutside = way !== '' && (way.startsWith('..') || isAbsolute(way));
  assert(isOutside, 'is in dist/, which the server publishes and each build empties');
  return path;
}

/** `file` is an absolute path. */
export function databaseUrl(text: string, root: string) {
  if (/^postgres(ql)?:/i.test(text))
    return { engine: 'postgres', url: text, address: parsePostgresUrl(text) } as const;
  const path = text.replace(/^file:(?:\/\/(?=\/))?/i, '');
  assert(path !== text && /^(?!\/\/|:memory:)./.test(path));
  assert(/^[^?#\0]*[^?#\0/\\]$/.test(path), 'must end with the name of a file and can’t have a ? or #');
  return { engine: 'sqlite', file: outsideDist(path, root) } as const;
}

const list = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

export function ipOrRange(text: string): string[] {
  // The widest private network is fc00::/7.
  for (const range of list(text)) assert(/^[^/]+(\/([7-9]|[1-9]\d+))?$/.test(range));
  // It throws for anything else.
  inRanges(list(text));
  return list(text);
}

/** Undefined for any origin. */
export function origins(text: string): string[] | undefined {
  if (text === '*') return undefined;
  return list(text).map((entry) => {
    assert(!entry.includes('*'), 'has a *, which isn’t a wildcard here; name each page');
    const { origin } = new URL(entry);
    assert(baseAddress(entry) === origin);
    return origin;
  });
}
