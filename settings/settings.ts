import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import util from 'node:util';
import { asciiAddress, timeZone } from './checks.ts';
import { SETTINGS, type Setting } from './schema.ts';
import { assert, Refusal } from './server-url.ts';

/** Relative paths in settings start here, whatever folder a command runs in. */
export const PROJECT_ROOT = resolve(import.meta.dirname, '..');

/** As the owner knows it: relative to the project's folder, if it's in there. */
export function shortPath(path: string): string {
  const way = relative(PROJECT_ROOT, path);
  return way.startsWith('..') ? path : way;
}

export type Env = Record<string, string | undefined>;

type Parsed = { [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]['read']> };

export type Settings = Readonly<ReturnType<typeof readSettings>>;

export type Fault = { setting: string; problem: string; meaning?: string };

/** The owner can fix it; the message says how, and names the faults of all settings. */
export class SettingsError extends Error {
  faults: readonly Fault[] = [];
}

/** The environment overrides `.env`, except where it's empty. */
export function loadEnv(root: string = PROJECT_ROOT): Env {
  const given = Object.entries(process.env).filter(([, value]) => value?.trim());
  return { ...readEnvFile(root).values, ...Object.fromEntries(given) };
}

/** Empty if there's none. @throws {SettingsError} if it can't be read */
export function readEnvFile(root: string): { text: string; values: Env } {
  const path = join(root, '.env');
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { text: '', values: {} };
    const user = process.getuid?.();
    const todo =
      code === 'EACCES' && user !== undefined
        ? `Make it the file of the user who runs this: sudo chown ${user} '${path}' && sudo chmod 600 '${path}'`
        : 'Put a text file there, like .env.example, or nothing.';
    throw new SettingsError(`${path} holds the settings and can’t be read (${code}). ${todo}`);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    // Each byte that isn't UTF-8 is read as U+FFFD.
    const [good = ''] = bytes.toString().split(/[\0\uFFFD]/, 1);
    throw new SettingsError(
      `Line ${good.split('\n').length} of ${path} has letters that aren’t UTF-8. Correct them in your editor, and save the file as UTF-8.`,
    );
  }
  // Not a named import: older edge runtimes don't have `parseEnv`, but never get here.
  const values: Env = util.parseEnv(text);
  for (const [, name = ''] of text.matchAll(CUT_BY_HASH)) values[name] = CUT;
  return { text, values };
}

/** In place of the value of an unquoted address or secret in which `parseEnv` takes a # for the start of a comment. */
const CUT = '#';
const CUT_BY_HASH = /^[ \t]*(?:export[ \t]+)?(\w+_(?:URL|SECRET|KEY))[ \t]*=[ \t]*[^\s'"`#][^\s#]*#/gm;

/** Undefined for any other encoding: what editors and PowerShell call “Unicode” has a zero beside each Latin letter. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) && !bytes.includes(0) ? new TextDecoder().decode(bytes) : undefined;
}

/** An empty value counts as unset, such as `PORT=` in a copied .env. @param faults what's known to be wrong already */
export function readSettings(given: Env = loadEnv(), faults: readonly Fault[] = []) {
  const env = withContainerMail(given);
  const found = [...faults];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const text = env[setting.name]?.trim() || setting.fallback;
    try {
      assert(
        text !== CUT,
        'has a #, which ends its value. In an address, write it as %23; otherwise, use quotes',
      );
      values[key] = text === undefined ? undefined : setting.read(text, PROJECT_ROOT);
    } catch (error) {
      const { name, secret } = setting;
      const meaning = setting.meaning.replaceAll('`', '');
      const wrong = secret ? 'is wrong' : `is wrong: ${JSON.stringify(text)}`;
      found.push({ setting: name, problem: error instanceof Refusal ? error.message : wrong, meaning });
    }
  }
  if (found.length > 0) throw Object.assign(new SettingsError(describe(found)), { faults: found });
  const { smtpUrl, ...settings } = values as Parsed;
  const { contactEmail, mailDir, mailFrom } = settings;
  return {
    ...settings,
    mail: smtpUrl ? ({ via: 'smtp', ...smtpUrl } as const) : ({ via: 'folder', folder: mailDir } as const),
    // The owner's mail server should always accept the owner's own address.
    mailFrom: {
      name: mailFrom?.name || 'Website contact form',
      address: mailFrom?.address ?? asciiAddress(contactEmail),
    },
    timeZone: settings.timeZone ?? machineZone(),
  };
}

/** UTC if the machine names no usable one: TZ may be anything, even empty. */
function machineZone(): string {
  try {
    return timeZone(String(Intl.DateTimeFormat().resolvedOptions().timeZone));
  } catch {
    return 'UTC';
  }
}

/** What ONCE and other container hosts call the mail settings. They count if ours are unset. */
export function withContainerMail(env: Env): Env {
  const { SMTP_ADDRESS: host = '', SMTP_PORT, SMTP_USERNAME = '', SMTP_PASSWORD = '' } = env;
  const port = SMTP_PORT?.trim() || '587';
  const login = SMTP_USERNAME && `${encodeURIComponent(SMTP_USERNAME)}:${encodeURIComponent(SMTP_PASSWORD)}@`;
  const url = host && `smtp://${login}${host.trim()}:${port}`;
  const from = env.MAIL_FROM?.trim() || env.MAILER_FROM_ADDRESS;
  return { ...env, MAIL_FROM: from, SMTP_URL: env.SMTP_URL?.trim() || url };
}

function describe(faults: readonly Fault[]): string {
  const width = Math.max(...faults.map(({ setting }) => setting.length));
  const lines = faults.map(({ setting, problem, meaning = '' }) =>
    `  ${setting.padEnd(width)}  ${problem}\n  ${meaning}`.trimEnd(),
  );
  const count = faults.length === 1 ? '1 setting is wrong' : `${faults.length} settings are wrong`;
  return [
    `${count}.`,
    ...lines,
    '  Settings come from the environment and from .env; .env.example lists them all.',
  ].join('\n\n');
}

/** Settings that belong to other programs. */
const OF_OTHERS =
  /^(NODE_|NPM_|npm_|COMPOSE_|DOCKER_|POSTGRES_|PG[A-Z]+$|SUPABASE_|DENO_|AWS_|SMTP_(ADDRESS|PORT|USERNAME|PASSWORD)$|MAILER_FROM_ADDRESS$|TZ$|LANG$|LC_|NO_COLOR$|FORCE_COLOR$|[A-Za-z]+_(PROXY|proxy)$)/;

/** A sentence for each mistyped name in `.env`, which would otherwise silently do nothing. */
export function unknownSettings(root = PROJECT_ROOT): string[] {
  const { values } = readEnvFile(root);
  const known = Object.values(SETTINGS).map(({ name }) => name);
  const unknown = Object.keys(values)
    // On a broken line, the name may contain a password.
    .map((name) => /^\w+/.exec(name)?.[0] ?? 'A line')
    .filter((name) => !known.includes(name) && !OF_OTHERS.test(name))
    .map((name) => `${name} in .env isn’t a setting, so it does nothing. .env.example lists them all.`);
  // Windows' Notepad adds .txt, and Explorer hides it.
  if (existsSync(join(root, '.env.txt'))) unknown.unshift('.env.txt isn’t read. Rename it to .env.');
  return unknown;
}
