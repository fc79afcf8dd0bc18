import * as v from 'valibot';
import { DEFAULT_ANON_KEY } from '../contract/contact.ts';
import * as is from './checks.ts';

/**
 * The default is text, as someone would type it, and is checked like any other value.
 *
 * @param meaning what the owner reads in .env.example and docs/settings.md
 * @param example a valid value; the default if omitted
 */
const setting = <const Check extends v.GenericSchema<string | undefined, unknown>>(
  name: string,
  check: Check,
  { meaning, example }: { meaning: string; example?: string },
) =>
  v.pipe(
    check,
    v.metadata({ name, meaning, example: example ?? String(v.getDefault(check as v.GenericSchema) ?? '') }),
  );

/**
 * Every setting, described once. `.env.example` and docs/settings.md are generated from this with
 * `npx vitest run settings --update`.
 *
 * @param root where relative paths start
 */
export const settingsSchema = (root: string) =>
  v.object({
    /** Without a trailing slash. */
    siteUrl: setting('SITE_URL', v.undefinedable(is.siteAddress), {
      meaning:
        'The page’s public address, for search engines, shared links and the sitemap. With a path, such as `https://www.example.com/operations`, the page lives below it.',
      example: 'https://www.example.com',
    }),
    contactEmail: setting('CONTACT_EMAIL', v.undefinedable(is.emailAddress, 'hello@example.com'), {
      meaning: 'Shown on the page, and told of each message.',
    }),
    wordsDir: setting('WORDS_DIR', v.undefinedable(is.folder(root), './mine'), {
      meaning:
        'Your own words, prices and photo, which the page shows in place of those that came with the project. See docs/make-it-yours.md.',
    }),
    supabaseUrl: setting('VITE_SUPABASE_URL', v.undefinedable(is.httpUrl), {
      meaning: 'Where the form sends messages: the address of a Supabase project. Empty: this server.',
      example: 'https://abcdefgh.supabase.co',
    }),
    supabaseAnonKey: setting('VITE_SUPABASE_ANON_KEY', v.undefinedable(is.headerValue, DEFAULT_ANON_KEY), {
      meaning: 'The public key of that project, or of this server.',
    }),
    host: setting('HOST', v.undefinedable(is.hostName, 'localhost'), {
      meaning:
        'Where the server listens: `localhost` is this machine alone. Use `0.0.0.0` in a container or behind a proxy on another machine.',
    }),
    port: setting('PORT', v.undefinedable(is.wholeNumber(0, 65_535), '8080'), { meaning: 'The port there.' }),
    database: setting('DATABASE_URL', v.undefinedable(is.databaseUrl(root), 'file:./data/contact.db'), {
      meaning:
        'Where messages are stored: a SQLite file, whose path starts at the project’s folder, or a Postgres database, which several servers may share: `postgres://user:password@host:5432/database`, with `?sslmode=verify-full` to check who answers. In its password write @ as %40, : as %3A, / as %2F and % as %25.',
    }),
    databaseConnections: setting('DATABASE_CONNECTIONS', v.undefinedable(is.wholeNumber(1, 999), '10'), {
      meaning:
        'The most connections of this server to Postgres; one that gets fewer makes do. Leave the desk one of those that your plan has.',
    }),
    smtpUrl: setting('SMTP_URL', v.undefinedable(is.smtpUrl), {
      meaning:
        'Your mail server, such as `smtps://user:password@smtp.example.com:465`. Write a % in the password as %25 and an @ as %40. Empty: each mail becomes an .eml file in MAIL_DIR.',
      example: 'smtps://user:password@smtp.example.com:465',
    }),
    mailDir: setting('MAIL_DIR', v.undefinedable(is.folder(root), './data/mail'), {
      meaning: 'Where those files go.',
    }),
    resendApiKey: setting('RESEND_API_KEY', v.undefinedable(is.headerValue), {
      meaning:
        'In place of SMTP_URL: the key of an account at Resend, for hosts that block mail servers’ ports.',
      example: 're_123456789',
    }),
    resendBaseUrl: setting('RESEND_BASE_URL', v.undefinedable(is.httpUrl, 'https://api.resend.com'), {
      meaning: 'Where Resend is, or a service that answers like it.',
    }),
    mailFrom: setting('MAIL_FROM', v.undefinedable(is.mailBox), {
      meaning:
        'The sender of these mails; use an address of your own domain, which your mail server accepts. Empty: CONTACT_EMAIL.',
      example: 'Website <website@example.com>',
    }),
    /** An IANA name. */
    timeZone: setting('TIME_ZONE', v.undefinedable(is.timeZone), {
      meaning:
        'The clock that mails show, and where a day begins and ends: `America/Toronto`, `Europe/Berlin`. Empty: the machine’s own.',
      example: 'America/Toronto',
    }),
    digest: setting('DIGEST', v.undefinedable(is.digestTime, 'off'), {
      meaning:
        'Mails you the figures of the day or week before, so that you can tell a quiet day from a fault: `off`, `daily 07:00` or `weekly monday 07:00`, by the clock of TIME_ZONE.',
      example: 'daily 07:00',
    }),
    retentionDays: setting('RETENTION_DAYS', v.undefinedable(is.retentionDays, 'off'), {
      meaning:
        'Messages older than this many days are erased, once a day; those that wait to be mailed stay. `off` keeps them all.',
      example: '365',
    }),
    countVisits: setting('COUNT_VISITS', v.undefinedable(is.onOrOff, 'on'), {
      meaning: 'Counts visits and messages, a number for each day and nothing about anybody: `on` or `off`.',
      example: 'off',
    }),
    mailPerHour: setting('MAIL_PER_HOUR', v.undefinedable(is.wholeNumber(1, 9_999_999), '200'), {
      meaning:
        'The most notifications in an hour. Messages beyond it are stored, and mailed later. Half are kept for people who haven’t written within the hour, so that a few who send much can’t delay a new one.',
    }),
    sweepSecret: setting('SWEEP_SECRET', v.undefinedable(is.secret), {
      meaning:
        'For the function on Supabase alone, see docs/deploy.md: what the database says each minute to have waiting mails sent. At least 24 characters, for instance from `openssl rand -hex 24`.',
      example: 'the output of: openssl rand -hex 24',
    }),
    trustProxy: setting('TRUST_PROXY', v.undefinedable(is.ipOrRange, ''), {
      meaning:
        'Addresses or ranges of your own proxies, whose `X-Forwarded-For` is believed: `127.0.0.1, 10.0.0.0/8`.',
      example: '127.0.0.1, 10.0.0.0/8',
    }),
    allowedOrigins: setting('ALLOWED_ORIGINS', v.undefinedable(is.origins), {
      meaning:
        'Origins of the pages that may send messages: `https://www.example.com, https://example.com`. Empty: any.',
      example: 'https://www.example.com, https://example.com',
    }),
    alertWebhookUrl: setting('ALERT_WEBHOOK_URL', v.undefinedable(is.webhookUrl), {
      meaning:
        'Gets one JSON post `{"text": …}` at once when visitors are turned away because messages can’t be stored, and when mails fail for over 15 minutes or are set aside; at most hourly. Slack, Mattermost and Discord (…/slack) take it. Empty: such trouble stands in the log alone.',
      example: 'https://hooks.slack.com/services/T0/B0/x',
    }),
    shutdownDelayMs: setting('SHUTDOWN_DELAY', v.undefinedable(is.delaySeconds, '1.5'), {
      meaning:
        'For how many seconds after SIGTERM requests are still taken while `/readyz` fails: longer than your load balancer needs to notice. See docs/deploy.md.',
    }),
    logLevel: setting('LOG_LEVEL', v.undefinedable(is.logLevel, 'info'), {
      meaning:
        '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`; `warn` leaves out requests that went well.',
    }),
  });
