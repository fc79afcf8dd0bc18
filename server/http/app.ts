import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { v7 as uuidv7 } from 'uuid';
import { FUNCTION_NAME, FUNCTIONS_PATH, SENT_ANCHOR } from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { inRanges } from '../../settings/local-network.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';
import { jsonAnswer, notSentAnswer, type Reason, refusal } from './answers.ts';
import { bearerOf, clientAddress, corsHeaders, isForgottenProxy, sameText, senderOf } from './client.ts';
import type { Fetch } from './listen.ts';
import { type Body, isForm, readBody, readCall, readForm } from './post.ts';
import type { Pages } from './static.ts';
import type { Submit } from './submit.ts';

type AppOptions = {
  settings: Pick<Settings, 'supabaseAnonKey' | 'trustProxy' | 'siteUrl' | 'allowedOrigins'>;
  submit: Submit;
  sentences: Sentences;
  log: Log;
  /** Whether anyone new should be sent to this server. */
  isReady: () => Promise<boolean>;
  /** If absent, only the function is served. */
  pages?: Pages | undefined;
  /** Answers all below /desk. */
  desk?: Fetch | undefined;
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

type AppEnv = {
  Variables: { requestId: string; address: string | undefined; body: Body };
  /** What the HTTP server knows; absent if the app is called without one. */
  Bindings: Partial<HttpBindings>;
};

export function createApp(options: AppOptions): Hono<AppEnv> {
  const { settings, submit, sentences, log, pages, desk, host } = options;
  const keys = host?.keys ?? [settings.supabaseAnonKey];
  const trusted = inRanges(settings.trustProxy);
  let warnedOfProxy = false;
  const app = new Hono<AppEnv>({ getPath: host?.pathOf ?? getPath });
  const refuse = (reason: Reason) => jsonAnswer(refusal(reason, sentences));

  app.use(async (c, next) => (isReadable(c.req.raw.url) ? next() : refuse('badAddress')));

  app.use(`${FUNCTIONS_PATH}/*`, async (c, next) => {
    // Never the client's own id, which would put a stranger's text in the log.
    const requestId = uuidv7();
    c.set('requestId', requestId);
    const startedAt = performance.now();
    await next();
    const headers = {
      ...corsHeaders(senderOf(c.req.raw, settings), settings),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
    };
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    const ms = Math.round(performance.now() - startedAt);
    log.info({ requestId, method: c.req.method, status: c.res.status, ms }, 'function answered');
  });
  app.use(`${FUNCTIONS_PATH}/*`, async (c, next) => {
    // First, because a connection that closes while the body is read no longer has an address.
    c.set('address', host ? host.addressOf(c.req.raw) : addressOf(c));
    c.set('body', await readBody(c.req.raw));
    await next();
  });
  app.options(`${FUNCTIONS_PATH}/*`, (c) => c.body(null, 204));
  app.post(`${FUNCTIONS_PATH}/${FUNCTION_NAME}`, answerPost);
  app.all(`${FUNCTIONS_PATH}/${FUNCTION_NAME}`, () => refuse('method'));
  if (host) app.post(`${FUNCTIONS_PATH}/${FUNCTION_NAME}/sweep`, (c) => answerSweep(c, host.sweepSecret));
  app.all(`${FUNCTIONS_PATH}/*`, () => refuse('unknownFunction'));

  // `/up` is what ONCE asks.
  app.on('GET', ['/healthz', '/up'], (c) => c.json({ ok: true }, 200, { 'cache-control': 'no-store' }));
  app.get('/readyz', async (c) => {
    const ok = await options.isReady();
    return c.json({ ok }, ok ? 200 : 503, { 'cache-control': 'no-store' });
  });

  if (desk) app.on('ALL', ['/desk', '/desk/*'], (c) => desk(c.req.raw, c.env));
  app.all('*', (c) => pages?.respond(c.req.raw) ?? c.text('Not found.\n', 404));

  app.onError((error, c) => {
    log.error({ requestId: c.get('requestId'), err: error }, 'a request failed for an unforeseen reason');
    return refuse('unforeseen');
  });

  async function answerPost(c: Context<AppEnv>): Promise<Response> {
    const request = c.req.raw;
    const { requestId, address, body } = c.var;
    const sender = senderOf(request, settings);
    const wantsPage = isForm(request.headers, body);
    const post = wantsPage
      ? await readForm(request.headers, body, sentences.topics)
      : readCall(request.headers, body, keys);
    const answer =
      typeof post === 'string'
        ? refusal(post, sentences)
        : 'reason' in post
          ? refusal(post.reason, sentences)
          : await submit({ ...post, requestId, sender, address });
    if (!wantsPage) return jsonAnswer('id' in answer ? { status: 200, ok: true, id: answer.id } : answer);
    if ('id' in answer) {
      // A page on another host is at SITE_URL; ours is wherever the browser already is.
      const page = host || sender.kind === 'allowed' ? (settings.siteUrl ?? '') : '';
      return c.body(null, 303, { location: `${page}/#${SENT_ANCHOR}` });
    }
    const typed = typeof post === 'string' ? undefined : post.shown;
    return notSentAnswer(answer, {
      typed,
      page: pages?.notSent,
      home: `${settings.siteUrl ?? ''}/`,
      sentences,
    });
  }

  function addressOf(c: Context<AppEnv>): string {
    const peer = c.env?.incoming?.socket.remoteAddress;
    const forwardedFor = c.req.raw.headers.get('x-forwarded-for');
    if (!warnedOfProxy && isForgottenProxy(peer, forwardedFor, trusted)) {
      log.warn('a proxy that TRUST_PROXY does not name forwards the visitors; all of them count as one');
      warnedOfProxy = true;
    }
    return clientAddress(peer, forwardedFor, trusted);
  }

  async function answerSweep(c: Context<AppEnv>, secret: string): Promise<Response> {
    if (!sameText(bearerOf(c.req.raw.headers) ?? '', secret)) return refuse('wrongKey');
    return jsonAnswer({ status: 200, ok: true, ...(await options.sweep()) });
  }

  return app;
}

/** A Host such as `1.2.3.4.5` gives an address that can't be parsed, and no Request can hold credentials. */
function isReadable(address: string): boolean {
  const { username, password } = URL.parse(address) ?? { username: 'unreadable' };
  return !username && !password;
}
