import { readFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import util from 'node:util';
import { DEFAULT_ANON_KEY } from '../contract/contact.ts';
import {
  type Check,
  connections,
  type DatabaseSetting,
  type DigestTime,
  databaseUrl,
  delaySeconds,
  digestTime,
  emailAddress,
  folder,
  headerValue,
  httpUrl,
  ipOrRange,
  logLevel,
  type MailBox,
  mailBox,
  ok,
  onOrOff,
  origins,
  perHour,
  port,
  retentionDays,
  secret,
  siteAddress,
  smtpUrl,
  timeZone,
  webhookUrl,
} from './checks.ts';

/** Relative paths in the settings start here, so that the folder a command is run from does not matter. */
export const PROJECT_ROOT = resolve(import.meta.dirname, '..');

type Env = Record<string, string | undefined>;

export type Settings = Readonly<{
  /** Public address of the page, without a slash at the end. */
  siteUrl: string | undefined;
  /** The path in `siteUrl`, such as `/operations`; empty at the root of its host. */
  basePath: string;
  /** Shown on the page and told of each message. */
  contactEmail: string;
  /** Where the page calls the function; undefined is the page's own origin. */
  supabaseUrl: string | undefined;
  supabaseAnonKey: string;
  host: string;
  port: number;
  /** Where messages are stored. */
  database: DatabaseSetting;
  /** At most so many to Postgres at a time. */
  databaseConnections: number;
  /** Undefined: mails become .eml files in `mailDir`. */
  smtpUrl: string | undefined;
  /** Mails go out through the HTTP interface of Resend. Never beside `smtpUrl`. */
  resendApiKey: string | undefined;
  resendBaseUrl: string;
  mailDir: string;
  /** Needed only where the function runs in somebody else's machinery. */
  sweepSecret: string | undefined;
  mailFrom: MailBox;
  /** IANA name of the zone whose clock mails show, and in which a day begins and ends. */
  timeZone: string;
  /** Whether visits and messages are counted, each day's number and nothing else. */
  countVisits: boolean;
  /** Messages older than so many days are erased; undefined keeps them all. */
  retentionDays: number | undefined;
  /** When the owner is mailed the figures of the day, or week, before; undefined is never. */
  digest: DigestTime | undefined;
  /** Beyond so many notifications an hour, messages wait to be mailed. */
  mailPerHour: number;
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  trustProxy: readonly string[];
  /** Origins that may call the function; undefined is any. */
  allowedOrigins: readonly string[] | undefined;
  /** Told when messages can't be stored or mailed; undefined is nobody. */
  alertWebhookUrl: string | undefined;
  /** After SIGTERM, how long requests are still taken while readiness fails, so that a balancer sees it. */
  shutdownDelayMs: number;
  logLevel: string;
}>;

export type Fault = { setting: string; problem: string; example: string };

export class SettingsError extends Error {
  override name = 'SettingsError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(describe(faults));
    this.faults = faults;
  }
}

/** The environment over `.env`: what a shell or a hosting service sets wins over the file. */
export function loadEnv(root: string = PROJECT_ROOT): Env {
  return { ...readEnvFile(root).values, ...process.env };
}

/** `.env` as text and read; both are empty where there is none. */
export function readEnvFile(root: string): { text: string; values: Env } {
  try {
    const text = decode(readFileSync(join(root, '.env')));
    // Not by its name: older runtimes of edge functions lack it, and never come here.
    return { text, values: util.parseEnv(text) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { text: '', values: {} };
    throw error;
  }
}

/** As editors and shells of Windows write it: UTF-8 or, after `echo … > .env` in PowerShell, UTF-16, with a mark before it. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const littleEndian = first === 0xff && second === 0xfe;
  const bigEndian = first === 0xfe && second === 0xff;
  const text = new TextDecoder(littleEndian ? 'utf-16le' : bigEndian ? 'utf-16be' : 'utf-8').decode(bytes);
  // `>>` there adds UTF-16 to whatever stands in the file: as UTF-8, its letters have a NUL after each.
  return text.replaceAll('\0', '');
}

export function readSettings(env: Env, root: string = PROJECT_ROOT): Settings {
  const faults: Fault[] = [];

  /** An empty value counts as unset: `PORT=` in a copied .env means "I have no opinion". */
  function read<T, D>(setting: string, check: Check<T>, fallback: D, example: string): T | D {
    const text = env[setting]?.trim();
    if (!text) return fallback;
    const result = check(text);
    if (result.ok) return result.value;
    faults.push({ setting, problem: result.problem, example });
    return fallback;
  }

  const contactEmail = read('CONTACT_EMAIL', emailAddress, 'hello@example.com', 'hello@example.com');
  const siteUrl = read('SITE_URL', siteAddress, undefined, 'https://www.example.com');
  const settings: Settings = {
    siteUrl,
    basePath: siteUrl ? new URL(siteUrl).pathname.replace(/\/$/, '') : '',
    contactEmail,
    supabaseUrl: read('VITE_SUPABASE_URL', httpUrl, undefined, 'https://abcdefgh.supabase.co'),
    supabaseAnonKey: read('VITE_SUPABASE_ANON_KEY', headerValue, DEFAULT_ANON_KEY, DEFAULT_ANON_KEY),
    // `localhost` is listened to on 127.0.0.1 and on ::1, since browsers try either first. The
    // network outside sees the server only when somebody asks for it, say with HOST=0.0.0.0.
    host: read('HOST', hostName, 'localhost', 'localhost'),
    port: read('PORT', port, 8080, '8080'),
    database: read(
      'DATABASE_URL',
      (text) => databaseUrl(text, root),
      { engine: 'sqlite', file: resolve(root, 'data/contact.db') },
      'file:./data/contact.db',
    ),
    databaseConnections: read('DATABASE_CONNECTIONS', connections, 10, '10'),
    smtpUrl: read('SMTP_URL', smtpUrl, undefined, 'smtps://user:password@smtp.example.com:465'),
    resendApiKey: read('RESEND_API_KEY', headerValue, undefined, 're_123456789'),
    resendBaseUrl: read('RESEND_BASE_URL', httpUrl, 'https://api.resend.com', 'https://api.resend.com'),
    mailDir: read('MAIL_DIR', (text) => folder(text, root), resolve(root, 'data/mail'), './data/mail'),
    sweepSecret: read('SWEEP_SECRET', secret, undefined, 'the output of: openssl rand -hex 24'),
    mailFrom: read(
      'MAIL_FROM',
      mailBox,
      // The owner's own address is the one sender that the owner's mail server surely accepts.
      { name: 'Website contact form', address: contactEmail },
      'Website <website@example.com>',
    ),
    timeZone: read(
      'TIME_ZONE',
      timeZone,
      Intl.DateTimeFormat().resolvedOptions().timeZone,
      'America/Toronto',
    ),
    countVisits: read('COUNT_VISITS', onOrOff, true, 'off'),
    retentionDays: read('RETENTION_DAYS', retentionDays, undefined, '365'),
    digest: read('DIGEST', digestTime, undefined, 'daily 07:00'),
    mailPerHour: read('MAIL_PER_HOUR', perHour, 200, '200'),
    trustProxy: read('TRUST_PROXY', ipOrRange, [], '127.0.0.1, 10.0.0.0/8'),
    allowedOrigins: read(
      'ALLOWED_ORIGINS',
      origins,
      undefined,
      'https://www.example.com, https://example.com',
    ),
    alertWebhookUrl: read(
      'ALERT_WEBHOOK_URL',
      webhookUrl,
      undefined,
      'https://hooks.slack.com/services/T0/B0/x',
    ),
    shutdownDelayMs: read('SHUTDOWN_DELAY', delaySeconds, 1_500, '1.5'),
    logLevel: read('LOG_LEVEL', logLevel, 'info', 'info'),
  };

  for (const [setting, place] of [
    ['DATABASE_URL', settings.database.engine === 'sqlite' ? settings.database.file : ''],
    ['MAIL_DIR', settings.mailDir],
  ] as const) {
    if (place && isInside(resolve(root, 'dist'), place)) {
      const problem = 'lies in dist/, which the server publishes and each build empties';
      const example = setting === 'MAIL_DIR' ? './data/mail' : 'file:./data/contact.db';
      faults.push({ setting, problem, example });
    }
  }
  if (settings.smtpUrl && settings.resendApiKey) {
    const problem = 'is set, and SMTP_URL as well; mails can go one way only, so leave one of them empty';
    faults.push({ setting: 'RESEND_API_KEY', problem, example: '' });
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.freeze(settings);
}

function hostName(text: string): ReturnType<Check<string>> {
  return /^[\w.:-]+$/.test(text)
    ? ok(text)
    : { ok: false, problem: `is ${JSON.stringify(text)}, which is no host name or IP address` };
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way.startsWith('..') || isAbsolute(way));
}

function describe(faults: readonly Fault[]): string {
  const width = Math.max(...faults.map(({ setting }) => setting.length));
  const lines = faults.map(
    ({ setting, problem, example }) =>
      `  ${setting.padEnd(width)}  ${problem}\n  ${''.padEnd(width)}  for example: ${setting}=${example}`,
  );
  const count = faults.length === 1 ? '1 setting is wrong' : `${faults.length} settings are wrong`;
  return [
    `${count}; nothing was started.`,
    ...lines,
    '  Settings come from the environment and from .env; .env.example lists them all.',
  ].join('\n\n');
}
