import * as v from 'valibot';
import { type Fault, readSettings, type Settings, SettingsError } from './settings.ts';

type Env = Record<string, string | undefined>;

export type EdgeSettings = {
  settings: Settings;
  /** The public keys of the project, of either kind. */
  keys: readonly string[];
  sweepSecret: string;
};

/** Supabase lets no function reach these. */
const CLOSED_PORTS = ['25', '587'];

/** What has a default on a server of one's own, and none that would do here. */
const NEEDED: Record<string, { because: string; example: string }> = {
  SITE_URL: {
    because: 'is missing; a form that is sent without JavaScript comes back to the page there',
    example: 'https://www.example.com',
  },
  CONTACT_EMAIL: { because: 'is missing; it is told of each message', example: 'you@example.com' },
  SWEEP_SECRET: {
    because: 'is missing; without it, a mail that fails once is never tried again',
    example: 'the output of: openssl rand -hex 24',
  },
};

/**
 * The settings of the function on Supabase, which brings some of them under names of its own.
 *
 * @throws {SettingsError} naming every fault at once
 */
export function readEdgeSettings(env: Env): EdgeSettings {
  const named: Env = { ...env, DATABASE_URL: env.DATABASE_URL || env.SUPABASE_DB_URL };
  const faults: Fault[] = [];
  let settings: Settings | undefined;
  try {
    settings = readSettings(named);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    faults.push(...error.faults);
  }
  for (const [setting, { because, example }] of Object.entries(NEEDED)) {
    if (!named[setting]?.trim()) faults.push({ setting, problem: because, example });
  }
  if (!/^postgres(ql)?:/i.test(named.DATABASE_URL?.trim() ?? '')) {
    const problem = 'names no Postgres database; a function has no disk for a file';
    faults.push({ setting: 'DATABASE_URL', problem, example: 'postgres://user:password@host:5432/postgres' });
  }
  const mailFault = faultOfMail(named);
  if (mailFault) faults.push(mailFault);
  const keys = keysOf(named);
  if (keys.length === 0) {
    const problem = 'is missing, and the project names no public key either';
    faults.push({ setting: 'VITE_SUPABASE_ANON_KEY', problem, example: 'sb_publishable_…' });
  }
  if (!settings?.sweepSecret || faults.length > 0) throw new SettingsError(faults);
  const { allowedOrigins } = settings;
  const own = URL.parse(env.SUPABASE_URL ?? '')?.origin;
  return {
    settings: {
      ...settings,
      // The path in SITE_URL is the page's, not the function's.
      basePath: '',
      // The page that gives a refused form back is the project's, and the form is sent from there again.
      allowedOrigins: allowedOrigins && own ? [...allowedOrigins, own] : allowedOrigins,
    },
    keys,
    sweepSecret: settings.sweepSecret,
  };
}

function faultOfMail({ SMTP_URL, RESEND_API_KEY }: Env): Fault | undefined {
  const example = 'smtps://user:password@smtp.example.com:465';
  if (!SMTP_URL?.trim()) {
    if (RESEND_API_KEY?.trim()) return undefined;
    const problem = 'is missing, and so is RESEND_API_KEY; a function has no folder for mails';
    return { setting: 'SMTP_URL', problem, example };
  }
  const url = URL.parse(SMTP_URL.trim());
  const port = url?.port || (url?.protocol === 'smtps:' ? '465' : '587');
  if (!url || !CLOSED_PORTS.includes(port)) return undefined;
  const problem = `leads to port ${port}, which Supabase closes to functions; use 465 or 2525, or RESEND_API_KEY in its place`;
  return { setting: 'SMTP_URL', problem, example };
}

const PUBLISHABLE_KEYS = v.fallback(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())), {});

/** Clients may still use the older key while the project has a newer one. */
function keysOf(env: Env): string[] {
  const byName = v.parse(PUBLISHABLE_KEYS, env.SUPABASE_PUBLISHABLE_KEYS);
  const keys = [env.VITE_SUPABASE_ANON_KEY, env.SUPABASE_ANON_KEY, ...Object.values(byName)];
  return [...new Set(keys.filter((key) => key !== undefined && key.trim() !== ''))] as string[];
}
