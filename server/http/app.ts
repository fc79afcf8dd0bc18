import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { v7 as uuidv7 } from 'uuid';
import {
  CLIENT_INFO,
  FUNCTION_NAME,
  FUNCTIONS_PATH,
  MOST_BYTES,
  readClientInfo,
} from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { inRanges } from '../../settings/near.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';
import { roundMs, UNKNOWN_PATH } from './access-log.ts';
import { clientAddress, isForgottenProxy } from './client-address.ts';
import { answerForm } from './form-post.ts';
import { bearerOf, checkKey, KEY_FAULTS, sameText } from './key.ts';
import { corsHeaders, senderOf } from './origins.ts';
import { mayBeForm } from './read-form.ts';
import { type Refusal, refusal } from './refusal-answers.ts';
import { contentType, decodeUtf8, isCompressed, readBody } from './request-body.ts';
import type { Pages } from './static-files.ts';
import type { Client, Submit } from './submit.ts';

type AppOptions = {
  settings: Pick<Settings, 'supabaseAnonKey' | 'trustProxy' | 'siteUrl' | 'allowedOrigins'>;
  submit: Submit;
  /** Read anew for each refusal: in development, they change. */
  sentences: Sentences;
  log: Log;
  /** For the log lines of page requests. */
  access: Log;
  /** Whether anyone new should be sent to this server. */
  isReady: () => Promise<boolean>;
  /** If absent, only the function is served. */
  pages?: Pages | undefined;
  /** If absent, it's our own HTTP server. */
  host?: FunctionHost | undefined;
  /** Each minute's work, for platforms where nothing runs between requests; the response contains what it returns. */
  sweep: () => Promise<object>;
};

/** What's different on a platform that calls the function, such as Supabase. */
export type FunctionHost = {
  /** The path our own server would see. */
  pathOf(request: Request): string;
  /** The visitor's address; undefined means this request isn't rate-limited. */
  addressOf(request: Request): string | undefined;
  /** Any one of these is accepted. */
  keys: readonly string[];
  /** Whoever knows it may call `…/sweep`. */
  sweepSecret: string;
  /** Keeps the process alive for work that goes on after the response. */
  inBackground(work: Promise<unknown>): void;
};

export type AppEnv = {
  Variables: { requestId: string };
  /** What the HTTP server knows; absent if the app is called without one. */
  Bindings: Partial<HttpBindings>;
};

export function createApp(options: AppOptions): Hono<AppEnv> {
  const { settings, sentences, log, access, host } = options;
  const keys = host?.keys ?? [settings.supabaseAnonKey];
  const trusted = inRanges(settings.trustProxy);
  let warnedOfProxy = false;
  const app = new Hono<AppEnv>({
    getPath: host?.pathOf ?? getPath,
  });

  app.use(`${FUNCTIONS_PATH}/*`, async (c, next) => {
    // Never the client's own id, which would put a stranger's text in the log.
    c.set('requestId', uuidv7());
    const startedAt = performance.now();
    await next();
    const headers = {
      ...corsHeaders(senderOf(c.req.raw, settings), settings),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': c.get('requestId'),
    };
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    const ms = Math.round(performance.now() - startedAt);
    log.info(
      { requestId: c.get('requestId'), method: c.req.method, status: c.res.status, ms },
      'function answered',
    );
  });

  app.use(async (c, next) =>
    isReadable(c.req.raw.url)
      ? next()
      : refuse(c, { ...refusal('badJson', sentences), code: 'UNREADABLE_ADDRESS' }),
  );

  app.options(`${FUNCTIONS_PATH}/*`, (c) => c.body(null, 204));
  app.all(`${FUNCTIONS_PATH}/${FUNCTION_NAME}`, async (c) => {
    if (c.req.method !== 'POST') return refuse(c, refusal('method', sentences));
    return (mayBeForm(c.req.raw.headers) && (await postForm(c))) || answerCall(c);
  });
  if (host) app.post(`${FUNCTIONS_PATH}/${FUNCTION_NAME}/sweep`, (c) => answerSweep(c, host.sweepSecret));
  app.all(`${FUNCTIONS_PATH}/*`, (c) => refuse(c, refusal('unknownFunction', sentences)));

  // `/up` is what ONCE asks.
  app.on('GET', ['/healthz', '/up'], (c) => c.json({ ok: true }, 200, { 'cache-control': 'no-store' }));
  app.get('/readyz', answerReadiness);

  app.all('*', (c) => {
    const startedAt = performance.now();
    const response = options.pages?.respond(c.req.raw) ?? c.text('Not found.\n', 404);
    const facts = {
      method: c.req.method,
      path: UNKNOWN_PATH,
      status: response.status,
      ms: roundMs(performance.now() - startedAt),
      bytes: Number(response.headers.get('content-length') ?? 0),
    };
    access.info(facts, 'page answered');
    return response;
  });

  app.onError((error, c) => {
    log.error({ requestId: c.get('requestId'), err: error }, 'a request failed for an unforeseen reason');
    return refuse(c, refusal('unforeseen', sentences));
  });

  function cameFrom(c: Context<AppEnv>) {
    const client: Client = host ? { address: host.addressOf(c.req.raw) } : clientOf(c);
    return { requestId: c.get('requestId'), sender: senderOf(c.req.raw, settings), client };
  }

  function clientOf(c: Context<AppEnv>): Client {
    const peer = c.env?.incoming?.socket.remoteAddress;
    const forwardedFor = c.req.raw.headers.get('x-forwarded-for');
    if (!warnedOfProxy && isForgottenProxy(peer, forwardedFor, trusted)) {
      log.warn('a proxy that TRUST_PROXY does not name forwards the visitors; all of them count as one');
      warnedOfProxy = true;
    }
    return { address: clientAddress(peer, forwardedFor, trusted) };
  }

  function postForm(c: Context<AppEnv>): Promise<Response | undefined> {
    const came = cameFrom(c);
    return answerForm(c.req.raw, {
      sender: came.sender,
      settings,
      pages: options.pages,
      sentences,
      isElsewhere: host !== undefined,
      submit: (what) => options.submit({ ...came, ...what }),
    });
  }

  async function answerCall(c: Context<AppEnv>): Promise<Response> {
    const { headers } = c.req.raw;
    // First, because a connection that closes while the body is read no longer has an address.
    const came = cameFrom(c);
    const keyFault = checkKey(headers, keys);
    if (keyFault) return refuseKey(c, keyFault);
    if (contentType(headers) !== 'application/json' || isCompressed(headers))
      return refuse(c, refusal('type', sentences));
    const body = await readBody(c.req.raw, MOST_BYTES);
    if (body === 'too large') return refuse(c, refusal('tooLarge', sentences));
    if (body === 'broken off') return refuse(c, refusal('badJson', sentences));
    const typed = parseObject(decodeUtf8(body));
    if (!typed) return refuse(c, refusal('badJson', sentences));
    const idempotencyKey = headers.get('idempotency-key') ?? undefined;
    const form = readClientInfo(headers.get(CLIENT_INFO));
    const answer = await options.submit({ ...came, typed, form, idempotencyKey });
    return 'id' in answer ? c.json({ ok: true, id: answer.id }, 200, JSON_TYPE) : refuse(c, answer);
  }

  async function answerSweep(c: Context<AppEnv>, secret: string): Promise<Response> {
    if (!sameText(bearerOf(c.req.raw.headers) ?? '', secret)) return refuseKey(c, 'wrong');
    return c.json({ ok: true, ...(await options.sweep()) }, 200, JSON_TYPE);
  }

  function refuseKey(c: Context<AppEnv>, fault: keyof typeof KEY_FAULTS): Response {
    return refuse(c, { ...refusal('key', sentences), ...KEY_FAULTS[fault] }, KEY_FAULTS[fault].code);
  }

  async function answerReadiness(c: Context<AppEnv>): Promise<Response> {
    const ok = await options.isReady();
    return c.json({ ok }, ok ? 200 : 503, { 'cache-control': 'no-store' });
  }

  return app;
}

/** A Host such as `1.2.3.4.5` gives an address that can't be parsed, and no Request can hold credentials. */
function isReadable(address: string): boolean {
  const { username, password } = URL.parse(address) ?? { username: 'unreadable' };
  return !username && !password;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

function refuse(c: Context<AppEnv>, refused: Refusal, sbErrorCode?: string): Response {
  const { status, headers, ...body } = refused;
  return c.json(body, status, {
    ...JSON_TYPE,
    ...headers,
    ...(sbErrorCode && { 'sb-error-code': sbErrorCode }),
  });
}

function parseObject(text = ''): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
