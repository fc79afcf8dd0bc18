import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, parseEnv } from 'node:util';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../tests/support/service.ts';
import { SETTINGS, type Setting } from './schema.ts';
import { parsePostgresUrl } from './server-url.ts';
import { loadEnv, PROJECT_ROOT, readSettings, SettingsError, unknownSettings } from './settings.ts';

function faultsOf(env: Record<string, string>): string[] {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.faults.map(({ setting }) => setting);
  }
}

const EXAMPLE = parseEnv(readFileSync(join(PROJECT_ROOT, '.env.example'), 'utf8'));

test('with no settings at all, everything has a value, and the example file changes none of them', () => {
  expect(readSettings({})).toMatchObject({
    siteUrl: undefined,
    // A page that was opened before an update still sends this one.
    supabaseAnonKey: 'sb_publishable_embedded_server',
    database: { engine: 'sqlite', file: join(PROJECT_ROOT, 'data/contact.db') },
    mail: { via: 'folder', folder: join(PROJECT_ROOT, 'data/mail') },
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    trustProxy: [],
    allowedOrigins: undefined,
  });
  expect(readSettings(EXAMPLE)).toEqual(readSettings({}));
});

test('all faults are named at once, each with its meaning; only a folder can have any name', () => {
  const everythingWrong = Object.fromEntries(Object.keys(EXAMPLE).map((name) => [name, '\0 wrong']));
  const { MAIL_DIR, WORDS_DIR, ...checked } = everythingWrong;
  expect(faultsOf(everythingWrong).toSorted()).toEqual(Object.keys(checked).toSorted());
  expect(() => readSettings(everythingWrong)).toThrow(
    /\d\d settings are wrong.*SITE_URL.*CONTACT_EMAIL.*PORT.*to 65535.*LOG_LEVEL/s,
  );
  expect(() => readSettings(everythingWrong)).not.toThrow(/undefined/);
});

test.each([
  ['PORT', ['-1', '65536', '80.5', '0x50']],
  ['CONTACT_EMAIL', ['a', 'a@b.ca, c@d.ca', 'Ana <a@b.ca>', 'marie@operations-tremblay', 'a@b.']],
  ['MAIL_FROM', ['Ana', 'a@b.ca\r\nBcc: c@d.ca', '<a@b.ca', 'a@b.ca>', 'Ana <a@b>']],
  ['SITE_URL', ['example.com', 'ftp://example.com', 'https://a:b@example.com', 'https://example.com/?a=b']],
  ['SITE_URL', ['https://example.com/a%20b', 'https://example.com/operations/']],
  ['VITE_SUPABASE_URL', ['supabase', 'https://x.supabase.co?a=b']],
  [
    'VITE_SUPABASE_ANON_KEY',
    ['two words', 'schlüssel', 'sb_secret_a', `eyJ.${btoa('{"role":"service_role"}')}.x`],
  ],
  ['DATABASE_URL', ['./contact.db', 'mysql://x', 'file:./data/', 'file::memory:', 'file:./dist/contact.db']],
  ['DATABASE_URL', ['postgres://', 'postgres://host', 'postgres:///db', 'postgres://u:p@ss/word@h/db']],
  ['DATABASE_URL', ['postgres://u:100%@h/db', 'postgres://h/db?sslmode=verify-full&sslrootcert=/nowhere']],
  ['DATABASE_URL', ['postgres://10.0.0.5/db?sslrootcert=/nowhere', 'postgres://h/db?port=99999']],
  ['SMTP_URL', ['mail.example.com', 'http://mail.example.com', 'smtp://', 'smtp:x', 'smtp://user:%ff@host']],
  // The host of the first isn't “me”.
  ['SMTP_URL', ['smtp://me:12/kx7@smtp.firm.example', 'smtp://smtp.firm.example/kx7']],
  ['TRUST_PROXY', ['proxy', '10.0.0.0/33', '10.0.0.0/', '::/129', '1.2.3.4/8/8']],
  ['TRUST_PROXY', ['0.0.0.0/0', '::/0', '127.0.0.1, 0.0.0.0/1', '2000::/3']],
  ['MAIL_DIR', ['dist', './dist/mail']],
  [
    'ALLOWED_ORIGINS',
    ['example.com', 'https://example.com/page', 'https://a.example, *', 'https://*.a.example'],
  ],
  ['TIME_ZONE', ['Toronto', 'America/Atlantis']],
  ['RETENTION_DAYS', ['0', '-1', '1.5', '100000', '365d']],
  ['REMINDERS', ['yes', '20']],
  ['ALERT_WEBHOOK_URL', ['hooks.example.com', 'ntfy://ntfy.sh/topic', 'https://:tk_1@ntfy.sh/topic']],
  ['LOG_LEVEL', ['verbose', 'INFO']],
  ['HOST', ['a b', 'http://localhost']],
])('%s refuses each of %j', (setting, values) => {
  for (const value of values) expect([value, faultsOf({ [setting]: value })]).toEqual([value, [setting]]);
});

test.each([
  [{ SITE_URL: 'https://Example.com/?' }, { siteUrl: 'https://example.com' }],
  [{ VITE_SUPABASE_URL: 'https://a.example/supabase/' }, { supabaseUrl: 'https://a.example/supabase' }],
  [{ RETENTION_DAYS: '365' }, { retentionDays: 365 }],
  [{ TIME_ZONE: 'america/toronto' }, { timeZone: 'America/Toronto' }],
  [{ DATABASE_URL: 'file:///var/contact.db' }, { database: { engine: 'sqlite', file: '/var/contact.db' } }],
  [{ TRUST_PROXY: '127.0.0.1, ::1,10.0.0.0/8' }, { trustProxy: ['127.0.0.1', '::1', '10.0.0.0/8'] }],
  [
    { ALLOWED_ORIGINS: 'https://a.example/, http://localhost:5173' },
    { allowedOrigins: ['https://a.example', 'http://localhost:5173'] },
  ],
  [{ ALLOWED_ORIGINS: '*' }, { allowedOrigins: undefined }],
  [{ MAIL_FROM: '"Web, form" <a@b.example>' }, { mailFrom: { name: 'Web, form', address: 'a@b.example' } }],
  [{ MAIL_FROM: 'a@b.example' }, { mailFrom: { name: 'Website contact form', address: 'a@b.example' } }],
  // The sender follows the contact address, with its domain as mail servers know it.
  [
    { CONTACT_EMAIL: 'info@bücher.example' },
    { contactEmail: 'info@bücher.example', mailFrom: { address: 'info@xn--bcher-kva.example' } },
  ],
  [{ SMTP_URL: 'smtps://smtp.firm.example' }, { mail: { secure: true, port: 465 } }],
  [
    { SMTP_URL: 'smtp://me@firm.example:p@s:s@smtp.firm.example' },
    { mail: { host: 'smtp.firm.example', login: { user: 'me@firm.example', password: 'p@s:s' } } },
  ],
])('%j is read as it’s meant: %j', (env, settings) => {
  expect(readSettings(env)).toMatchObject(settings);
});

test('mail can be set by ONCE’s names for it, with any character in the password; our own names come first', () => {
  const once = {
    SMTP_ADDRESS: 'smtp.example.com',
    SMTP_PORT: '465',
    SMTP_USERNAME: 'me@example.com',
    SMTP_PASSWORD: ' p@ss:w/o%r#d?"\'`$€\\ ',
    MAILER_FROM_ADDRESS: 'Web <web@example.com>',
  };
  expect(readSettings(once)).toMatchObject({
    mail: {
      secure: true,
      location: 'smtp.example.com:465',
      login: { user: once.SMTP_USERNAME, password: once.SMTP_PASSWORD },
    },
    mailFrom: { name: 'Web', address: 'web@example.com' },
  });
  const mailAt = (SMTP_PORT: string) => readSettings({ SMTP_ADDRESS: 'mail', SMTP_PORT }).mail;
  expect(mailAt('')).toMatchObject({ via: 'smtp', location: 'mail:587', secure: false });
  expect(mailAt('2465')).toMatchObject({ secure: true });
  const typed = readSettings({ SMTP_URL: 'smtp://smtp.example.com:465' });
  expect(typed.mail, 'whatever somebody types before it').toMatchObject({ secure: true });
  const own = { SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'own@example.com' };
  expect(readSettings({ ...once, SMTP_PORT: 'x', ...own })).toEqual(readSettings(own));
});

/** Every setting with a secret in it, as typed by somebody who escapes nothing. */
const WITH_SECRET: Record<string, (secret: string) => string> = {
  SMTP_URL: (secret) => `smtps://me%40firm.example:${secret}@smtp.firm.example:465`,
  DATABASE_URL: (secret) => `postgres://me:${secret}@db.firm.example:5432/contact`,
  SWEEP_SECRET: (secret) => secret,
  ALERT_WEBHOOK_URL: (secret) => `https://hooks.firm.example/${secret}`,
  VITE_SUPABASE_ANON_KEY: (secret) => secret,
  SMTP_ADDRESS: (secret) => `smtp://me:${secret}@smtp.firm.example`,
};

test('whatever a secret contains, no fault repeats it, no wrong host is read, and what can’t be read is refused with how to write it', () => {
  const names = Object.values<Setting<unknown>>(SETTINGS).filter(({ secret }) => secret);
  expect(Object.keys(WITH_SECRET)).toEqual(expect.arrayContaining(names.map(({ name }) => name)));
  const unit = fc.constantFrom(...'#/?@:%[]\\ "<>^`{}|=&;+kx7é0', '%4', '%41', '12');
  const typed = fc.tuple(fc.string({ unit }), fc.string({ unit })).map(([a, b]) => `${a}hunter2${b}`);
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(WITH_SECRET)), typed, (name, secret) => {
      try {
        const { mail, database } = readSettings({ [name]: WITH_SECRET[name]?.(secret) });
        if (name === 'SMTP_URL')
          expect(mail).toMatchObject({
            host: 'smtp.firm.example',
            port: 465,
            login: { user: 'me@firm.example' },
          });
        if (name === 'DATABASE_URL')
          expect(parsePostgresUrl('url' in database ? database.url : '').host).toBe('db.firm.example');
      } catch (error) {
        if (!(error instanceof SettingsError)) throw error;
        expect(inspect(error)).not.toContain('hunter2');
        if (name === 'SMTP_URL') expect(error.message).toMatch(/is wrong\n.* write .*\/ as %2F.*% as %25/);
      }
    }),
    { numRuns: 3_000 },
  );
});

test.each<[what: string, content: string | Buffer | undefined, said: RegExp]>([
  [
    'a # in an address and a secret, among others',
    'PORT=x\nSMTP_URL=smtps://me@a.example:2024#abc@b.example\nexport SWEEP_SECRET=2024abc#d',
    /^3 settings .*SMTP_URL +has a #.*%23.*SWEEP_SECRET +has a #/s,
  ],
  ['Latin-1', Buffer.from('PORT=1\nMAIL_FROM=Zoë', 'latin1'), /^Line 2 of .*\.env .* UTF-8.*save/],
  ['what PowerShell writes', Buffer.from('PORT=1', 'utf16le'), /^Line 1 of .*\.env .* UTF-8.*save/],
  ['a folder', undefined, /\.env holds the settings and can’t be read \(EISDIR\)/],
])('a .env is refused with what to do, and no secret is repeated: %s', (_, content, said) => {
  const folder = temporaryFolder();
  if (content === undefined) mkdirSync(join(folder, '.env'));
  else writeFileSync(join(folder, '.env'), content);
  const read = () => readSettings(loadEnv(folder));
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(said);
  expect(read).not.toThrow(/2024|abc/);
});

test('the environment wins over .env except where it’s empty, with any editor’s line endings, marks and comments, and a missing .env is no fault', () => {
  const folder = temporaryFolder();
  vi.stubEnv('PORT', '9001');
  vi.stubEnv('SMTP_URL', ' ');
  expect(loadEnv(folder).PORT).toBe('9001');
  const lines = [
    '\uFEFFCONTACT_EMAIL="me@example.com" # mine',
    'PORT=9000',
    'SITE_URL=https://a.example # ours',
    "SMTP_URL='smtps://a:b#c@d.example'",
  ];
  writeFileSync(join(folder, '.env'), lines.join('\r\n'));
  expect(loadEnv(folder)).toMatchObject({
    PORT: '9001',
    CONTACT_EMAIL: 'me@example.com',
    SITE_URL: 'https://a.example',
    SMTP_URL: 'smtps://a:b#c@d.example',
  });
});

function toldOf(env: string): string[] {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), env);
  return unknownSettings(folder);
}

test('names that aren’t settings are reported, but not those of other programs, nor a password in a broken line', () => {
  const others = 'TZ=America/Toronto\nNODE_ENV=production\nPGPASSWORD=x\nHTTPS_PROXY=y\nSMTP_PORT=1\n';
  expect(toldOf(`GREETING=hello\n${others}`)).toEqual([
    'GREETING in .env isn’t a setting, so it does nothing. .env.example lists them all.',
  ]);
  expect(toldOf('SMTP_URL smtps://me:hunter2@host?a=b\n').join()).not.toContain('hunter2');
  expect(toldOf('PORT=1\n# CONTACT_EMIAL=x\n')).toEqual([]);
  expect(unknownSettings(temporaryFolder())).toEqual([]);
});

test.each(['', 'Nowhere/Bad'])('with TZ=%s the time is in UTC', (TZ) => {
  vi.stubEnv('TZ', TZ);
  expect(readSettings({}).timeZone).toBe('UTC');
});
