import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, relative, resolve } from 'node:path';
import * as v from 'valibot';
import { parsePostgresUrl } from './postgres-url.ts';

// Each check reads the text of one setting. Its message completes a sentence that starts with the setting's name, and
// never repeats anything that may contain a password.

/** What DATABASE_URL names. `file` is an absolute path. */
export type DatabaseSetting = Readonly<
  { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }
>;

export type MailBox = Readonly<{ name: string; address: string }>;

/** Local time in TIME_ZONE. 1 is Monday; without a weekday, it's every day. */
export type DigestTime = Readonly<{ weekday: number | undefined; hour: number; minute: number }>;

/** For a message that repeats what was typed. */
const typed =
  (wanted: string) =>
  ({ input }: { input: unknown }): string =>
    `is ${JSON.stringify(input)}; ${wanted}`;

type Problem = string | ReturnType<typeof typed>;
type Test = RegExp | ((value: string) => boolean);

const text = (isRight: Test, problem: Problem) =>
  v.pipe(
    v.string(),
    v.check((value) => (isRight instanceof RegExp ? isRight.test(value) : isRight(value)), problem),
  );

/** @param read throws if it's wrong */
const textAs = <T>(read: (value: string) => T, problem: Problem) =>
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset: { value: input }, addIssue, NEVER }) => {
      try {
        return read(input);
      } catch {
        addIssue({ message: typeof problem === 'string' ? problem : problem({ input }) });
        return NEVER;
      }
    }),
  );

function assert(isRight: boolean): asserts isRight {
  if (!isRight) throw new RangeError();
}

export const wholeNumber = (min: number, max: number) =>
  textAs(
    (value) => {
      assert(/^\d{1,7}$/.test(value) && Number(value) >= min && Number(value) <= max);
      return Number(value);
    },
    typed(`a whole number from ${min} to ${max} is needed`),
  );

const NO_EMAIL = typed('an e-mail address is needed');

export const emailAddress = v.pipe(v.string(), v.rfcEmail(NO_EMAIL), v.maxLength(254, NO_EMAIL));

export const mailBox = textAs((value): MailBox => {
  const [, name = '', address = value] = /^([^<>]*)<\s*([^<>]+?)\s*>$/.exec(value) ?? [];
  assert(v.RFC_EMAIL_REGEX.test(address) && !/\p{Cc}/u.test(name));
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}, typed('an e-mail address is needed, with or without a name before it'));

const url = (isRight: (url: URL) => boolean) => (value: string) => {
  const parsed = URL.parse(value);
  return parsed !== null && isRight(parsed);
};
const isWeb = url(({ protocol, hostname }) => /^https?:$/.test(protocol) && hostname !== '');
/** No user, no password, no query. */
const isPlain = url(({ username, password, search, hash }) => !(username || password || search || hash));
const withoutLastSlash = (value: string) => {
  const { origin, pathname } = new URL(value);
  return origin + pathname.replace(/\/+$/, '');
};

const NO_WEB_ADDRESS = typed('a whole address with https:// or http:// is needed');

/** Must not start with a path that the site itself uses. */
const SITE_PATH = /^(?!\/(assets|functions|healthz|readyz)(\/|$))(\/[\w.~-]+)*\/*$/;

/** May have a path, if the page isn't at the root of its host. */
export const siteAddress = v.pipe(
  text(isWeb, NO_WEB_ADDRESS),
  v.check(isPlain, 'has more than scheme, host, port and path; leave the rest away'),
  v.check(
    url(({ pathname }) => SITE_PATH.test(pathname)),
    typed(
      'its path can have letters, digits and - . _ ~ only, and not begin with /assets, /functions, /healthz or /readyz, which the site uses itself',
    ),
  ),
  v.transform(withoutLastSlash),
);

/** May have a path, as a self-hosted Supabase can. */
export const httpUrl = v.pipe(
  text((value) => isWeb(value) && isPlain(value), NO_WEB_ADDRESS),
  v.transform(withoutLastSlash),
);

/** Its message doesn't repeat the value, since the path or query is usually secret. */
export const webhookUrl = v.pipe(
  text(isWeb, 'isn’t a whole address that starts with https:// or http://'),
  v.check(
    url(({ username, password }) => !(username || password)),
    'has a user or password in it, which no webhook needs; a token for ntfy goes behind ?auth=',
  ),
  v.transform((value) => new URL(value).href),
);

export const webhookSecret = text(
  /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
  'is not whsec_ followed by 24 to 64 bytes in base64',
);

export const hostName = text(/^[\w.:-]+$/, typed('a host name or IP address is needed'));

export const headerValue = text(
  /^[\x21-\x7e]+$/,
  'holds a blank or a character outside ASCII; a key has neither',
);

export const secret = text(
  /^[\x21-\x7e]{24,}$/,
  'is shorter than 24 characters, or holds a blank or a character outside ASCII',
);

/** In milliseconds. */
export const delaySeconds = v.pipe(
  text(/^\d{1,3}(\.\d{1,3})?$/, typed('a number of seconds below 1000 is needed')),
  v.transform((value) => Number(value) * 1_000),
);

const outsideDist = (root: string) =>
  v.check<string, string>((path) => {
    const way = relative(resolve(root, 'dist'), path);
    return way !== '' && (way.startsWith('..') || isAbsolute(way));
  }, 'lies in dist/, which the server publishes and each build empties');

/** A folder, which doesn't have to exist yet. */
export const folder = (root: string) =>
  v.pipe(
    v.string(),
    v.transform((value) => resolve(root, value)),
    v.check((path) => !isFile(path), typed('a folder is needed, and a file is there')),
    outsideDist(root),
  );

function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch (error) {
    // A parent is a file. A missing folder is created later.
    return error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
  }
}

export const onOrOff = v.pipe(
  text(/^(on|off)$/i, typed('on or off is needed')),
  v.transform((value) => /^on$/i.test(value)),
);

/** Undefined for never. */
export const retentionDays = v.pipe(
  text(/^(off|[1-9]\d{0,4})$/i, typed('off, or a whole number of days from 1 to 99999, is needed')),
  v.transform((value) => (/^off$/i.test(value) ? undefined : Number(value))),
);

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const DIGEST_TIME = new RegExp(
  `^(daily|weekly(?:\\s+(${WEEKDAYS.join('|')}))?)(?:\\s+([01]?\\d|2[0-3]):([0-5]\\d))?$`,
);

export const digestTime = textAs((value): DigestTime | undefined => {
  const words = value.toLowerCase();
  if (words === 'off') return undefined;
  const [matched, rhythm = '', day = 'monday', hour = 7, minute = 0] = DIGEST_TIME.exec(words) ?? [];
  assert(matched !== undefined);
  const weekday = rhythm === 'daily' ? undefined : WEEKDAYS.indexOf(day) + 1;
  return { weekday, hour: Number(hour), minute: Number(minute) };
}, typed('off, daily or weekly is needed, with a weekday and a time if you like'));

export const timeZone = textAs(
  (value) => new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone,
  typed('a region and city are needed, as in America/Vancouver or Europe/Berlin'),
);

/** Local time in TIME_ZONE, from the evening to the morning or within a day. */
export type QuietHours = Readonly<{ from: DigestTime; until: DigestTime }>;

const QUIET_HOURS = /^(\d{1,2})(?::([0-5]\d))?\s*[-–]\s*(\d{1,2})(?::([0-5]\d))?$/;

export const quietHours = textAs((value): QuietHours | undefined => {
  if (/^off$/i.test(value)) return undefined;
  const found = QUIET_HOURS.exec(value);
  const time = (hour: string | undefined, minute = '0') => ({
    weekday: undefined,
    hour: Number(hour),
    minute: Number(minute),
  });
  const [from, until] = [time(found?.[1], found?.[2]), time(found?.[3], found?.[4])];
  assert(from.hour < 24 && until.hour < 24);
  assert(from.hour !== until.hour || from.minute !== until.minute);
  return { from, until };
}, typed('off, or two times of the day, as in 22-07 or 21:30-06:45, are needed'));

const postgresUrl = v.pipe(
  text(
    (value) => typeof parsePostgresUrl(value) === 'object',
    ({ input }) => String(parsePostgresUrl(String(input))),
  ),
  v.transform((url): DatabaseSetting => ({ engine: 'postgres', url })),
);

const FILE_SCHEME = /^file:(?:\/\/(?=\/))?/i;

// Its message doesn't repeat the value: an unknown kind of address may contain a password too.
const sqliteFile = (root: string) =>
  v.pipe(
    text(
      new RegExp(`${FILE_SCHEME.source}(?!//|:memory:).`, 'i'),
      'is neither "file:" followed by the path of a database file nor a postgres:// address',
    ),
    v.regex(/^[^?#\0]*[^?#\0/\\]$/, 'must end with the name of a file and can have no ? or #'),
    v.transform((value) => resolve(root, value.replace(FILE_SCHEME, ''))),
    outsideDist(root),
    v.transform((file): DatabaseSetting => ({ engine: 'sqlite', file })),
  );

export const databaseUrl = (root: string) =>
  v.lazy((value) => (/^postgres(ql)?:/i.test(String(value)) ? postgresUrl : sqliteFile(root)));

export const smtpUrl = textAs((value) => {
  const { protocol, hostname, username, password } = new URL(value);
  decodeURIComponent(username + password);
  assert(/^smtps?:$/.test(protocol) && hostname !== '');
  return value;
}, 'is not smtp:// or smtps:// followed by the host of a mail server, or has a bare % sign, which is written as %25');

export const imapUrl = textAs((value) => {
  const { protocol, hostname, username, password } = new URL(value);
  assert(/^imaps?:$/.test(protocol) && [hostname, username, password].every((part) => part !== ''));
  decodeURIComponent(username + password);
  return value;
}, 'is not imaps:// followed by user:password@ and the host of a mail server, or has a bare % sign, which is written as %25');

const list = (value: string): string[] => value.split(/[\s,]+/).filter(Boolean);

const each = (isRight: (entry: string) => boolean, wanted: string) =>
  v.check<string[], (issue: { input: string[] }) => string>(
    (entries) => entries.every(isRight),
    ({ input }) => typed(wanted)({ input: input.filter((entry) => !isRight(entry)).join(', ') }),
  );

/** Prefix lengths by IP version: the widest private network (10.0.0.0/8 and fc00::/7), and a single address. */
const BITS: Record<number, [widest: number, all: number]> = { 4: [8, 32], 6: [7, 128] };

export const ipOrRange = v.pipe(
  v.string(),
  v.transform(list),
  each((entry) => {
    const [address = '', bits, ...rest] = entry.split('/');
    const [widest, all] = BITS[isIP(address)] ?? [1, 0];
    const size = bits === undefined ? all : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    return rest.length === 0 && size >= widest && size <= all;
  }, 'IP addresses or CIDR ranges of your own proxies are needed, with commas between, and none so wide that visitors could invent their own address'),
);

const anyOrigin = v.pipe(
  v.literal('*'),
  v.transform(() => undefined),
);

const originList = v.pipe(
  v.string(),
  v.transform(list),
  each(
    (entry) => isWeb(entry) && isPlain(entry) && new URL(entry).pathname === '/',
    'scheme, host and port of each page are needed, with commas between',
  ),
  v.transform((entries) => entries.map((entry) => new URL(entry).origin)),
);

/** Undefined for any origin. */
export const origins = v.lazy((value) => (value === '*' ? anyOrigin : originList));

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export const logLevel = v.picklist(LEVELS, typed(`one of ${LEVELS.join(', ')} is needed`));
