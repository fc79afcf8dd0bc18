import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import { readEdgeSettings } from '../settings/edge.ts';
import { SettingsError } from '../settings/settings.ts';
import { jsonAnswer, readSentences, refusal } from './http/answers.ts';
import type { Fetch } from './http/listen.ts';
import { createLog } from './log.ts';
import { openService } from './service.ts';

type Runtime = {
  env: Record<string, string | undefined>;
  write: (line: string) => void;
  inBackground: (work: Promise<unknown>) => void;
};

/** The same app, store and outbox as on our own server. Asks the database nothing before the first request. */
export async function openEdgeFunction({ env, write, inBackground }: Runtime): Promise<Fetch> {
  const sentences = readSentences(env.SENTENCES);
  try {
    const { settings, keys, sweepSecret } = readEdgeSettings(env);
    const host = { pathOf, keys, sweepSecret, inBackground };
    const log = createLog(settings.logLevel, { write });
    const { app } = await openService(settings, { log, sentences, host });
    return (request) => app.fetch(request, { incoming: peerOf(request, !!env.SB_REGION) });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    write(error.message);
    // The log says what's wrong; visitors read that nothing was saved.
    const closed = new Hono().use(cors()).all('*', () => jsonAnswer(refusal('notStored', sentences)));
    return (request) => closed.fetch(request);
  }
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
