import { existsSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { RFC_EMAIL_REGEX } from 'valibot';
import { parsePostgresUrl } from './postgres-url.ts';

/** Reads one setting. The problem continues a sentence that begins with the setting's name. */
export type Check<T> = (text: string) => { ok: true; value: T } | { ok: false; problem: string };

/** What DATABASE_URL names. `file` is an absolute path. */
export type DatabaseSetting = Readonly<
  { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }
>;

export type MailBox = Readonly<{ name: string; address: string }>;

export function ok<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

function wrong(text: string, wanted: string): { ok: false; problem: string } {
  return { ok: false, problem: `is ${JSON.stringify(text)}; ${wanted}` };
}

export const emailAddress: Check<string> = (text) =>
  RFC_EMAIL_REGEX.test(text) && text.length <= 254 ? ok(text) : wrong(text, 'an e-mail address is needed');

export const mailBox: Check<MailBox> = (text) => {
  const [, name = '', address = ''] = /^(?:([^<>]*)<\s*([^<>]+?)\s*>|)$/.exec(text) ?? [];
  const box = address
    ? { name: name.trim().replace(/^"(.*)"$/, '$1'), address }
    : { name: '', address: text };
  const plain = RFC_EMAIL_REGEX.test(box.address) && !/\p{Cc}/u.test(box.name);
  return plain ? ok(box) : wrong(text, 'an e-mail address is needed, with or without a name before it');
};

export const httpOrigin: Check<string> = (text) => {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname) {
    return wrong(text, 'a whole address with https:// or http:// is needed');
  }
  if (url.username || url.password || url.search || url.hash || url.pathname !== '/') {
    return { ok: false, problem: 'has more than scheme, host and port; leave the rest away' };
  }
  return ok(url.origin);
};

/** Paths of the site itself: below one of them, two addresses would mean the same. */
const OWN_PATHS = ['assets', 'functions', 'healthz', 'readyz'];

/** The page may live below a path of a host that shows other things as well. */
export const siteAddress: Check<string> = (text) => {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname) {
    return wrong(text, 'a whole address with https:// or http:// is needed');
  }
  if (url.username || url.password || url.search || url.hash) {
    return { ok: false, problem: 'has more than scheme, host, port and path; leave the rest away' };
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (!/^(\/[\w.~-]+)*$/.test(path)) {
    return wrong(text, 'its path can have letters, digits and - . _ ~ only');
  }
  const [, first = ''] = path.split('/');
  if (OWN_PATHS.includes(first))
    return wrong(text, `its path cannot begin with /${first}, which the site uses itself`);
  return ok(url.origin + path);
};

/** A Supabase project may sit below a path of somebody's own host. */
export const httpUrl: Check<string> = (text) => {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname || url.search || url.hash || url.username) {
    return wrong(text, 'a whole address with https:// or http:// is needed');
  }
  return ok(url.origin + url.pathname.replace(/\/+$/, ''));
};

/** Its path or query usually is a secret, so the problem does not repeat it. */
export const webhookUrl: Check<string> = (text) => {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.hostname
    ? ok(url.href)
    : { ok: false, problem: 'is no whole address with https:// or http://' };
};

export const headerValue: Check<string> = (text) =>
  /^[\x21-\x7e]+$/.test(text)
    ? ok(text)
    : { ok: false, problem: 'holds a blank or a character outside ASCII; a key has neither' };

/** Never repeated in a problem. */
export const secret: Check<string> = (text) =>
  /^[\x21-\x7e]{24,}$/.test(text)
    ? ok(text)
    : { ok: false, problem: 'is shorter than 24 characters, or holds a blank or a character outside ASCII' };

export const port: Check<number> = (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? ok(Number(text))
    : wrong(text, 'a whole number from 0 to 65535 is needed (0 takes any free port)');

export const perHour: Check<number> = (text) =>
  /^[1-9]\d{0,6}$/.test(text) ? ok(Number(text)) : wrong(text, 'a whole number from 1 to 9999999 is needed');

export const connections: Check<number> = (text) =>
  /^[1-9]\d{0,2}$/.test(text) ? ok(Number(text)) : wrong(text, 'a whole number from 1 to 999 is needed');

/** Ten minutes: whoever ends a process waits no longer. */
const LONGEST_DELAY = 600;

/** In milliseconds. */
export const delaySeconds: Check<number> = (text) =>
  /^\d{1,3}(\.\d{1,3})?$/.test(text) && Number(text) <= LONGEST_DELAY
    ? ok(Number(text) * 1_000)
    : wrong(text, `a number of seconds from 0 to ${LONGEST_DELAY} is needed`);

/** A folder, which need not be there yet. */
export const folder = (text: string, root: string): ReturnType<Check<string>> => {
  const path = resolve(root, text);
  // The nearest part of the path that exists has to be a folder.
  let part = path;
  while (!existsSync(part) && part !== dirname(part)) part = dirname(part);
  return isFile(part) ? wrong(text, `${part} is a file, and a folder is needed`) : ok(path);
};

function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    // Somebody else's, into which this user may not look.
    return false;
  }
}

export const onOrOff: Check<boolean> = (text) =>
  /^(on|off)$/i.test(text) ? ok(text.toLowerCase() === 'on') : wrong(text, 'on or off is needed');

/** A hundred years; a day that is further away is a slip of the finger. */
const MOST_DAYS = 36_500;

export const retentionDays: Check<number | undefined> = (text) => {
  if (/^off$/i.test(text)) return ok(undefined);
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= MOST_DAYS
    ? ok(Number(text))
    : wrong(text, `off, or a whole number of days from 1 to ${MOST_DAYS}, is needed`);
};

/** By the clock of TIME_ZONE. Of a week its day, 1 is Monday; undefined is each day. */
export type DigestTime = Readonly<{ weekday: number | undefined; hour: number; minute: number }>;

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const DIGEST_TIME = /^(?:daily|weekly(?: ([a-z]+))?)(?: (\d{1,2}):(\d{2}))?$/;

export const digestTime: Check<DigestTime | undefined> = (text) => {
  const words = text.toLowerCase().replace(/\s+/g, ' ');
  if (words === 'off') return ok(undefined);
  const [found, day = 'monday', hour = '7', minute = '0'] = DIGEST_TIME.exec(words) ?? [];
  const weekday = WEEKDAYS.indexOf(day) + 1;
  if (!found || weekday === 0 || Number(hour) > 23 || Number(minute) > 59)
    return wrong(text, 'off, daily or weekly is needed, with a weekday and a time if you like');
  return ok({
    weekday: found.startsWith('weekly') ? weekday : undefined,
    hour: Number(hour),
    minute: Number(minute),
  });
};

export const timeZone: Check<string> = (text) => {
  try {
    return ok(new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone);
  } catch {
    return wrong(text, 'a region and city are needed, as in America/Vancouver or Europe/Berlin');
  }
};

export const databaseUrl = (text: string, root: string): ReturnType<Check<DatabaseSetting>> => {
  if (/^postgres(ql)?:/i.test(text)) {
    const parsed = parsePostgresUrl(text);
    return parsed.ok ? ok({ engine: 'postgres', url: text }) : parsed;
  }
  // It may hold a password, though of no kind that we know, so no problem below repeats it.
  const path = /^file:(?:\/\/(?=\/))?(.+)$/i.exec(text)?.[1];
  if (!path || path.startsWith('//') || path.startsWith(':memory:')) {
    return {
      ok: false,
      problem: 'is neither "file:" followed by the path of a database file nor a postgres:// address',
    };
  }
  if (/[?#\0]|[/\\]$/.test(path)) {
    return { ok: false, problem: 'must end with the name of a file and can have no ? or #' };
  }
  return ok({ engine: 'sqlite', file: resolve(root, path) });
};

export const smtpUrl: Check<string> = (text) => {
  const url = URL.parse(text);
  // Not repeated: it usually holds a password.
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname) {
    return { ok: false, problem: 'is not smtp:// or smtps:// followed by the host of a mail server' };
  }
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    return { ok: false, problem: 'has a user or password with a bare % sign; write it as %25' };
  }
  return ok(text);
};

const list = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The widest ranges of private networks, 10.0.0.0/8 and fc00::/7. */
const WIDEST_PROXIES = { ipv4: 8, ipv6: 7 };

export const ipOrRange: Check<string[]> = (text) => {
  const entries = list(text);
  const bad = entries.filter((entry) => {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIP(address);
    const longest = family === 6 ? 128 : 32;
    return (
      !family ||
      rest.length > 0 ||
      (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= longest))
    );
  });
  if (bad.length > 0)
    return wrong(bad.join(', '), 'IP addresses or CIDR ranges are needed, with commas between');
  const wide = entries.filter((entry) => {
    const [address = '', bits = '128'] = entry.split('/');
    return Number(bits) < (isIP(address) === 6 ? WIDEST_PROXIES.ipv6 : WIDEST_PROXIES.ipv4);
  });
  return wide.length === 0
    ? ok(entries)
    : wrong(
        wide.join(', '),
        'that trusts so much of the internet that visitors could invent their own address; name your proxies alone',
      );
};

export const origins: Check<string[] | undefined> = (text) => {
  if (text === '*') return ok(undefined);
  const read = list(text).map((entry) => ({ entry, result: httpOrigin(entry) }));
  const bad = read.filter(({ result }) => !result.ok).map(({ entry }) => entry);
  if (bad.length > 0)
    return wrong(bad.join(', '), 'scheme, host and port of each page are needed, with commas between');
  return ok(read.flatMap(({ result }) => (result.ok ? [result.value] : [])));
};

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export const logLevel: Check<string> = (text) =>
  LEVELS.includes(text) ? ok(text) : wrong(text, `one of ${LEVELS.join(', ')} is needed`);
