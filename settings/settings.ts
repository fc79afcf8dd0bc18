import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import util from 'node:util';
import * as v from 'valibot';
import type { MailBox } from './checks.ts';
import { settingsSchema } from './schema.ts';

/** Relative paths in settings start here, whatever folder a command runs in. */
export const PROJECT_ROOT = resolve(import.meta.dirname, '..');

/** As the owner knows it: from the project's folder on, if it's in there. */
export function shortPath(path: string): string {
  const way = relative(PROJECT_ROOT, path);
  return way.startsWith('..') ? path : way;
}

type Env = Record<string, string | undefined>;

type Parsed = v.InferOutput<ReturnType<typeof settingsSchema>>;

export type MailSetting = Readonly<{ via: 'smtp'; url: string } | { via: 'folder'; folder: string }>;

export interface Settings extends Readonly<Omit<Parsed, 'smtpUrl'>> {
  /** The path in `siteUrl`, such as `/operations`; empty at the root of its host. */
  readonly basePath: string;
  readonly mail: MailSetting;
  readonly mailFrom: MailBox;
  readonly timeZone: string;
}

export type Fault = { setting: string; problem: string; example: string };

export class SettingsError extends Error {
  override name = 'SettingsError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(describe(faults));
    this.faults = faults;
  }
}

/** The environment overrides `.env`. */
export function loadEnv(root: string = PROJECT_ROOT): Env {
  return { ...readEnvFile(root).values, ...process.env };
}

/** Empty if there's no `.env`. */
export function readEnvFile(root: string): { text: string; values: Env } {
  try {
    const text = decode(readFileSync(join(root, '.env')));
    // Not a named import: older edge runtimes don't have `parseEnv`, but never get here.
    return { text, values: util.parseEnv(text) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { text: '', values: {} };
    throw error;
  }
}

/** UTF-8 or, after `echo … > .env` in PowerShell, UTF-16. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const littleEndian = first === 0xff && second === 0xfe;
  const bigEndian = first === 0xfe && second === 0xff;
  const text = new TextDecoder(littleEndian ? 'utf-16le' : bigEndian ? 'utf-16be' : 'utf-8').decode(bytes);
  // PowerShell's `>>` appends UTF-16 to UTF-8, which puts a NUL in each letter.
  return text.replaceAll('\0', '');
}

/**
 * An empty value counts as unset, such as `PORT=` in a copied .env.
 *
 * @throws {SettingsError} naming every fault at once
 */
export function readSettings(env: Env, root: string = PROJECT_ROOT): Settings {
  const schema = settingsSchema(root);
  const texts = Object.entries(schema.entries).map(
    ([key, entry]) => [key, env[v.getMetadata(entry).name]?.trim() || undefined] as const,
  );
  const result = v.safeParse(schema, Object.fromEntries(texts), { abortPipeEarly: true });
  const faults = (result.issues ?? []).map(({ message, path }): Fault => {
    const { name, example } = v.getMetadata(schema.entries[path?.[0].key as keyof Parsed]);
    return { setting: name, problem: message, example };
  });
  if (!result.success || faults.length > 0) throw new SettingsError(faults);
  const { smtpUrl, ...settings } = result.output;
  const { siteUrl, contactEmail, mailDir } = settings;
  const mail: MailSetting = smtpUrl ? { via: 'smtp', url: smtpUrl } : { via: 'folder', folder: mailDir };
  return Object.freeze({
    ...settings,
    basePath: siteUrl ? new URL(siteUrl).pathname.replace(/\/$/, '') : '',
    mail,
    // The owner's mail server should always accept the owner's own address.
    mailFrom: {
      name: settings.mailFrom?.name || 'Website contact form',
      address: settings.mailFrom?.address ?? contactEmail,
    },
    timeZone: settings.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
}

export function settingNames(): string[] {
  return Object.values(settingsSchema(PROJECT_ROOT).entries).map((entry) => v.getMetadata(entry).name);
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
