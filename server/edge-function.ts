import { FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import { readEdgeSettings } from '../settings/edge.ts';
import { inRanges } from '../settings/local-network.ts';
import { SettingsError } from '../settings/settings.ts';
import { type Refusal, readSentences, refusal } from './http/answers.ts';
import { clientAddress, corsHeaders } from './http/client.ts';
import { createLog } from './log.ts';
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
export async function openEdgeFunction(runtime: Runtime): Promise<(request: Request) => Promise<Response>> {
  const { env, write, inBackground } = runtime;
  try {
    const { settings, keys, sweepSecret } = readEdgeSettings(env);
    if (settings.database.engine !== 'postgres') throw new TypeError('The settings let a file through');
    const sentences = readSentences(env.SENTENCES);
    const database = await openPostgres(settings.database.url, {
      migrate: false,
      connections: CONNECTIONS,
      replyHours: () => sentences.replyHours,
    });
    const { app } = await openService(settings, {
      log: createLog(settings.logLevel, { write }),
      database,
      sentences,
      host: { pathOf, addressOf: addressFinder(env, settings.trustProxy), keys, sweepSecret, inBackground },
    });
    return async (request) => app.fetch(request);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    write(error.message);
    const notStored = refusal('notStored', readSentences(env.SENTENCES));
    return async (request) => notReady(request, notStored);
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
function addressFinder({ SB_REGION }: Runtime['env'], trustProxy: readonly string[]) {
  const trusted = inRanges(trustProxy);
  return ({ headers }: Request): string | undefined => {
    const seen = headers.get('cf-connecting-ip');
    if (SB_REGION && seen) return seen;
    const forwarded = (headers.get('x-forwarded-for') ?? '').split(',');
    const peer = forwarded.pop()?.trim();
    return peer ? clientAddress(peer, forwarded.join(','), trusted) : undefined;
  };
}

/** For a function with wrong settings. The log says what's wrong; the visitor reads that nothing was saved. */
function notReady({ method, headers }: Request, notStored: Refusal): Response {
  const anyone = { siteUrl: undefined, allowedOrigins: undefined };
  const cors = corsHeaders({ kind: 'unknown', origin: headers.get('origin') ?? '' }, anyone);
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: cors });
  const { status, code, error, headers: more } = notStored;
  return Response.json(
    { code, error },
    { status, headers: { ...cors, ...more, 'cache-control': 'no-store' } },
  );
}
