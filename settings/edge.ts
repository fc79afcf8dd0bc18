import * as v from 'valibot';
import { SETTINGS } from './schema.ts';
import { type Env, type Fault, readSettings } from './settings.ts';

/** Supabase blocks these ports for functions. */
const CLOSED_PORTS = ['25', '587'];

/** Their defaults don't work here. */
const NEEDED = [
  [SETTINGS.siteUrl, 'a form that is sent without JavaScript comes back to the page there'],
  [SETTINGS.contactEmail, 'each message is mailed there'],
  [SETTINGS.sweepSecret, 'without it, a mail that fails once is never tried again'],
  [SETTINGS.smtpUrl, 'a function has no folder for mails'],
] as const;

/** Those of the function on Supabase, which provides some under its own names, and all public `keys` of the project. */
export function readEdgeSettings(env: Env) {
  const named: Env = { ...env, DATABASE_URL: env.DATABASE_URL || env.SUPABASE_DB_URL };
  const faults: Fault[] = [];
  const refuse = (setting: string, problem: string, example: string) =>
    faults.push({ setting, problem, example });
  for (const [{ name, example }, why] of NEEDED)
    if (!named[name]?.trim()) refuse(name, `is missing; ${why}`, example);
  if (!/^postgres(ql)?:/i.test(named.DATABASE_URL?.trim() ?? '')) {
    const problem = 'names no Postgres database; a function has no disk for a file';
    refuse('DATABASE_URL', problem, 'postgres://user:password@host:5432/postgres');
  }
  const smtp = URL.parse(named.SMTP_URL?.trim() ?? '');
  const port = smtp?.port || (smtp?.protocol === 'smtp:' ? '587' : '');
  if (CLOSED_PORTS.includes(port)) {
    const problem = `leads to port ${port}, which Supabase closes to functions; use smtps:// with 465, or port 2525`;
    refuse('SMTP_URL', problem, SETTINGS.smtpUrl.example);
  }
  if (env.SENTENCES && !v.is(JSON_OBJECT, env.SENTENCES))
    refuse('SENTENCES', 'is not what stands in dist/_sentences.json', '"$(cat dist/_sentences.json)"');
  // Pages built earlier may still use the old kind of key.
  const published = Object.values(v.parse(PUBLISHABLE_KEYS, env.SUPABASE_PUBLISHABLE_KEYS));
  const keys = [env.VITE_SUPABASE_ANON_KEY, env.SUPABASE_ANON_KEY, ...published].flatMap((key) =>
    key?.trim() ? [key] : [],
  );
  if (keys.length === 0) {
    const problem = 'is missing, and the project names no public key either';
    refuse('VITE_SUPABASE_ANON_KEY', problem, 'sb_publishable_…');
  }
  const settings = readSettings(named, undefined, faults);
  const { allowedOrigins, sweepSecret } = settings;
  if (!sweepSecret) throw new TypeError('The settings let no secret through');
  const own = URL.parse(env.SUPABASE_URL ?? '')?.origin;
  return {
    settings: {
      ...settings,
      desk: false,
      // Without JavaScript, the form is resent from the function's own error page.
      allowedOrigins: allowedOrigins && own ? [...allowedOrigins, own] : allowedOrigins,
    },
    keys,
    sweepSecret,
  };
}

const JSON_OBJECT = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));
const PUBLISHABLE_KEYS = v.fallback(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())), {});
