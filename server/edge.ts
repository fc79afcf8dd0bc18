import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import { readEdgeSettings } from '../settings/edge.ts';
import { SettingsError } from '../settings/settings.ts';
import { jsonAnswer, readSentences, refusal } from './http/answers.ts';
import { addressFinder } from './http/client.ts';
import type { Fetch } from './http/listen.ts';
import { createLog, type Log } from './log.ts';
import { openPostgres } from './messages/postgres.ts';
import { openService } from './service.ts';

/** Per instance; many run side by side, and a database takes a few hundred. */
const CONNECTIONS = 2;

type Runtime = {
  env: Record<string, string | undefined>;
  write: (line: string) => void;
  inBackground: (work: Promise<unknown>) => void;
};

/**
 * The whole function as a request handler: the same app, store and outbox as on our own server. Opens nothing until the
 * first request, so an instance starts even while the database is down.
 */
export async function openEdgeFunction({ env, write, inBackground }: Runtime): Promise<Fetch> {
  const sentences = readSentences(env.SENTENCES);
  try {
    const { settings, keys, sweepSecret } = readEdgeSettings(env);
    if (settings.database.engine !== 'postgres') throw new TypeError('The settings let a file through');
    const log = createLog(settings.logLevel, { write });
    const database = await openPostgres(settings.database.url, {
      migrate: false,
      connections: CONNECTIONS,
      replyHours: () => sentences.replyHours,
    });
    const addressOf = addressIn(env, settings.trustProxy, log);
    const host = { pathOf, addressOf, keys, sweepSecret, inBackground };
    const { app } = await openService(settings, { log, database, sentences, host });
    return (request) => app.fetch(request);
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

/**
 * The client's address as the first of our own proxies saw it. On Supabase that's Cloudflare, whose header visitors
 * can't set; elsewhere it's the gateway, which adds the last entry in the list.
 */
function addressIn({ SB_REGION }: Runtime['env'], trustProxy: readonly string[], log: Log) {
  const find = addressFinder(trustProxy, log);
  return ({ headers }: Request): string | undefined => {
    const seen = headers.get('cf-connecting-ip');
    if (SB_REGION && seen) return seen;
    const forwarded = (headers.get('x-forwarded-for') ?? '').split(',');
    const peer = forwarded.pop()?.trim();
    return peer ? find(peer, forwarded.join(',')) : undefined;
  };
}
