import { DEFAULT_ANON_KEY } from '../contract/contact-message.ts';
import * as is from './checks.ts';
import { parseSmtpUrl } from './server-url.ts';

/** Throws if the text is wrong: a `Refusal` if there's more to say than its meaning. */
type Read<T> = (text: string, root: string) => T;

type About = {
  /** What the owner reads in .env.example, docs/settings.md and the desk's form, and if it's wrong: says what's right. */
  meaning: string;
  /** Whether it's a secret, or has a password in it. Messages and logs never repeat it. */
  secret?: true;
};

export type Setting<T> = About & { name: string; read: Read<T>; fallback?: string };

/** @param fallback as someone would type it; read like any other value */
function setting<T>(name: string, read: Read<T>, fallback: string, about: About): Setting<T> {
  return { ...about, name, read, fallback };
}

/** Without a default. */
function optional<T>(name: string, read: Read<T>, about: About): Setting<T | undefined> {
  return { ...about, name, read };
}

const ESCAPED = 'write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25';

/** Every setting. `npx vitest run tests/docs --update` writes `.env.example` and docs/settings.md from it. */
export const SETTINGS = {
  /** Without a trailing slash. */
  siteUrl: optional('SITE_URL', is.siteAddress, {
    meaning: 'The page’s whole address on the internet, with https://, for search engines and shared links.',
  }),
  contactEmail: setting('CONTACT_EMAIL', is.emailAddress, 'hello@example.com', {
    meaning:
      'Your email address, as in `you@example.com`: shown on the page, and where messages are mailed to.',
  }),
  wordsDir: setting('WORDS_DIR', is.outsideDist, './mine', {
    meaning:
      'The folder with your own words, prices and photo. The page shows them instead of those that came with it. See docs/make-it-yours.md.',
  }),
  supabaseUrl: optional('VITE_SUPABASE_URL', is.baseAddress, {
    meaning:
      'The address of a Supabase project, such as `https://abcdefgh.supabase.co`, if the form sends its messages there. Empty: it sends them to this server.',
  }),
  supabaseAnonKey: setting('VITE_SUPABASE_ANON_KEY', is.publicKey, DEFAULT_ANON_KEY, {
    meaning: 'The public key of that project or of this server. It isn’t a secret.',
  }),
  host: setting('HOST', is.matching(is.HOST_NAME), 'localhost', {
    meaning:
      'Who can reach the server, by a host name or IP address: with `localhost`, only this machine. Use `0.0.0.0` in a container, or if the web server in front is on another machine.',
  }),
  port: setting('PORT', is.wholeNumber(0, 65_535), '8080', {
    meaning: 'The number in http://localhost:8080. If it’s in use, take another one, such as 8081.',
  }),
  database: setting('DATABASE_URL', is.databaseUrl, 'file:./data/contact.db', {
    secret: true,
    meaning: `Where messages are stored: in a SQLite file (\`file:\` and its path from the project’s folder), or in a Postgres database, which several servers can share: \`postgres://user:password@host:5432/database\`. Add \`?sslmode=verify-full\` to have its certificate checked. In the password, ${ESCAPED}.`,
  }),
  smtpUrl: optional('SMTP_URL', parseSmtpUrl, {
    secret: true,
    meaning: `Your mail server, such as \`smtps://user:password@smtp.example.com:465\`. In the user name and password, ${ESCAPED}. Empty: each email is saved as an .eml file in MAIL_DIR.`,
  }),
  mailDir: setting('MAIL_DIR', is.outsideDist, './data/mail', {
    meaning: 'The folder for emails that are saved as files.',
  }),
  mailFrom: optional('MAIL_FROM', is.mailBox, {
    meaning:
      'Who these emails come from: an address that your mail server accepts, with a name if you like, as in `Website <website@example.com>`. Empty: your email address, but then some mail programs reply to you instead of the visitor, so give another one.',
  }),
  timeZone: optional('TIME_ZONE', is.timeZone, {
    meaning:
      'Emails and the desk show times in this zone. Empty: the machine’s own. Examples: `America/Toronto` or `Europe/Berlin`.',
  }),
  reminders: setting('REMINDERS', is.onOrOff, 'on', {
    meaning:
      'An email for each message that you haven’t marked as answered, some hours before the time that your page promises is up. It comes once, between 8 a.m. and 8 p.m. in your time zone. Set it to `on` or `off`; with `off`, the daily email doesn’t list them either.',
  }),
  retentionDays: setting('RETENTION_DAYS', is.retentionDays, 'off', {
    meaning:
      'Erases messages that are older than this whole number of days, up to 99999, except those that neither an email (sent or saved as a file) nor a page of your desk has told you about. With `off`, all are kept.',
  }),
  mailPerHour: setting('MAIL_PER_HOUR', is.wholeNumber(1, 9_999_999), '200', {
    meaning:
      'The most messages mailed to you in an hour. The rest are stored and mailed later. Half are reserved for people who haven’t written in that hour, so that somebody who floods the form can’t delay the others.',
  }),
  sweepSecret: optional('SWEEP_SECRET', is.matching(/^[\x21-\x7e]{24,}$/), {
    secret: true,
    meaning:
      'Only on Supabase, see docs/deploy-static.md: the password that the database sends each minute, to have waiting emails sent. At least 24 characters, for instance from `openssl rand -hex 24`.',
  }),
  trustProxy: setting('TRUST_PROXY', is.ipOrRange, '', {
    meaning:
      'If a web server is in front of this one: its IP address or range, such as `127.0.0.1, 10.0.0.0/8`, with no visitor in it. It’s then trusted to say who sends a message (`X-Forwarded-For`).',
  }),
  allowedOrigins: optional('ALLOWED_ORIGINS', is.origins, {
    meaning:
      'Which sites can send messages from a visitor’s browser: `https://www.example.com, https://example.com`. Empty: all.',
  }),
  alertWebhookUrl: optional('ALERT_WEBHOOK_URL', is.webhookUrl, {
    secret: true,
    meaning:
      'An address that reaches your phone: on Slack, Mattermost or Discord (ending in /slack), or a topic on ntfy such as `https://ntfy.sh/your-topic`. It says at once that a message came, without a word of it; and, at most hourly, that messages can’t be stored, or that emails have failed for 15 minutes or are set aside. It gets a JSON post `{"text": …}`. Empty: only the email says that a message came, and only the log says that something is wrong.',
  }),
  desk: setting('DESK', is.onOrOff, 'on', {
    meaning:
      'Your desk, at /desk of this server: `on` or `off`. You can reach it on this machine, and from anywhere once SITE_URL begins with https.',
  }),
  logLevel: setting('LOG_LEVEL', is.matching(/^(fatal|error|warn|info|debug|trace|silent)$/), 'info', {
    meaning:
      'How much the log says: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. With `warn`, requests that went well are left out.',
  }),
};
