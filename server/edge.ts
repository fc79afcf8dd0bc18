import { Hono } from 'hono';
import { cors } from 'hono/cors';
import * as v from 'valibot';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import { SETTINGS } from '../settings/schema.ts';
import { type Env, type Fault, readSettings, SettingsError } from '../settings/settings.ts';
import {
  ENGLISH,
  jsonAnswer,
  notSentAnswer,
  plainNotSentPage,
  readSentences,
  refusal,
} from './http/answers.ts';
import type { Fetch } from './http/listen.ts';
import { isFormPost, readBody, readForm } from './http/post.ts';
import { createLog } from './log.ts';
import { openService } from './service.ts';

type Runtime = {
  env: Env;
  write: (line: string) => void;
  inBackground: (work: Promise<unknown>) => void;
};

/** The same app, store and outbox as on our own server. No database query before the first request. */
export async function openEdgeFunction({ env: given, write, inBackground }: Runtime): Promise<Fetch> {
  const env: Env = { ...given, DATABASE_URL: given.DATABASE_URL?.trim() || given.SUPABASE_DB_URL };
  const sentences = readSentences(env.SENTENCES);
  try {
    const settings = readSettings(env, faultsHere(env));
    const { logLevel, allowedOrigins } = settings;
    const own = URL.parse(env.SUPABASE_URL ?? '')?.origin;
    const here = {
      ...settings,
      desk: false,
      // Without JavaScript, the form is resent from the function's own error page.
      allowedOrigins: allowedOrigins && own ? [...allowedOrigins, own] : allowedOrigins,
    };
    const log = createLog(logLevel, { write });
    if (env.SENTENCES && sentences === ENGLISH)
      log.error('SENTENCES isn’t what stands in dist/_sentences.json, so visitors are answered in English');
    const host = { pathOf, keys: publicKeys(env), inBackground };
    const { app } = await openService(here, { log, sentences, host });
    return (request) => app.fetch(request, { incoming: peerOf(request, !!env.SB_REGION) });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    write(error.message);
    // The log says what's wrong; visitors read that nothing was saved.
    const refused = refusal('notStored', sentences);
    return new Hono().use(cors()).all('*', async ({ req: { raw } }) => {
      if (!isFormPost(raw.headers)) return jsonAnswer(refused);
      const { shown } = await readForm(raw.headers, await readBody(raw), sentences.topics);
      return notSentAnswer(refused, shown, plainNotSentPage(`${env.SITE_URL ?? ''}/`, sentences), sentences);
    }).fetch;
  }
}

/** Their defaults don't work here. */
const NEEDED = [
  [SETTINGS.siteUrl, 'a form that is sent without JavaScript comes back to the page there'],
  [SETTINGS.contactEmail, 'each message is mailed there'],
  [SETTINGS.sweepSecret, 'without it, an email that fails once is never tried again'],
  [SETTINGS.smtpUrl, 'a function has no folder for emails'],
] as const;

/** Supabase blocks these ports for functions. */
const CLOSED_PORTS = ['25', '587'];

/** What's wrong here, even if it's right elsewhere. */
function faultsHere(env: Env): Fault[] {
  const faults: Fault[] = [];
  const refuse = (setting: string, problem: string) => faults.push({ setting, problem });
  for (const [{ name }, why] of NEEDED) if (!env[name]?.trim()) refuse(name, `is missing; ${why}`);
  if (!/^postgres(ql)?:/i.test(env.DATABASE_URL?.trim() ?? ''))
    refuse('DATABASE_URL', 'names no Postgres database; a function has no disk for a file');
  const smtp = URL.parse(env.SMTP_URL?.trim() ?? '');
  const port = smtp?.port || (smtp?.protocol === 'smtp:' ? '587' : '');
  if (CLOSED_PORTS.includes(port)) {
    const problem = `leads to port ${port}, which Supabase closes to functions; use smtps:// with 465, or port 2525`;
    refuse('SMTP_URL', problem);
  }
  if (publicKeys(env).length === 0)
    refuse('VITE_SUPABASE_ANON_KEY', 'is missing, and the project names no public key either');
  return faults;
}

const PUBLISHABLE_KEYS = v.fallback(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())), {});

/** The project's keys, and those of pages that were built earlier, which may use the old kind. */
function publicKeys(env: Env): string[] {
  const published = Object.values(v.parse(PUBLISHABLE_KEYS, env.SUPABASE_PUBLISHABLE_KEYS));
  const keys = [env.VITE_SUPABASE_ANON_KEY, env.SUPABASE_ANON_KEY, ...published];
  return keys.filter((key) => key !== undefined).filter((key) => key.trim());
}

/** The gateway has removed everything before the function's name. */
function pathOf({ url }: Request): string {
  const { pathname } = new URL(url);
  const isCut = pathname === `/${FUNCTION_NAME}` || pathname.startsWith(`/${FUNCTION_NAME}/`);
  return isCut ? FUNCTIONS_PATH + pathname : pathname;
}

/** As Cloudflare saw it on Supabase, whose header visitors can't set; elsewhere the gateway adds the last entry. */
function peerOf({ headers }: Request, isOnSupabase: boolean) {
  const seen = isOnSupabase && headers.get('cf-connecting-ip');
  const remoteAddress = seen || headers.get('x-forwarded-for')?.split(',').pop();
  return remoteAddress ? { socket: { remoteAddress } } : undefined;
}
