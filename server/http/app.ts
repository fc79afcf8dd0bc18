import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { v7 as uuidv7 } from 'uuid';
import { FUNCTION_NAME, FUNCTIONS_PATH, SENT_ANCHOR } from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';
import { jsonAnswer, notSentAnswer, plainNotSentPage, type Reason, refusal } from './answers.ts';
import { addressFinder, bearerOf, corsFor, sameText, senderOf } from './client.ts';
import type { Fetch } from './listen.ts';
import { type Body, readBody, readPost } from './post.ts';
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

const FUNCTION = `${FUNCTIONS_PATH}/${FUNCTION_NAME}`;

export function createApp(options: AppOptions): Hono<AppEnv> {
  const { settings, submit, sentences, log, pages, desk, host } = options;
  const keys = host?.keys ?? [settings.supabaseAnonKey];
  const home = settings.siteUrl ?? '';
  const addressOf = addressFinder(settings.trustProxy, log);
  const refuse = (reason: Reason) => jsonAnswer(refusal(reason, sentences));
  const app = new Hono<AppEnv>({ getPath: host?.pathOf ?? getPath });

  app.use(async ({ req }, next) => (isReadable(req.raw.url) ? next() : refuse('badAddress')));

  app.use(`${FUNCTIONS_PATH}/*`, async (c, next) => {
    // Never the client's own id, which would put a stranger's text in the log.
    const requestId = uuidv7();
    c.set('requestId', requestId);
    const startedAt = performance.now();
    await next();
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
    c.header('x-request-id', requestId);
    const ms = Math.round(performance.now() - startedAt);
    log.info({ requestId, method: c.req.method, status: c.res.status, ms }, 'function answered');
  });
  app.use(`${FUNCTIONS_PATH}/*`, corsFor(settings));
  app.use(`${FUNCTIONS_PATH}/*`, async (c, next) => {
    const { raw } = c.req;
    // First, because a connection that closes while the body is read no longer has an address.
    const peer = c.env?.incoming?.socket.remoteAddress;
    c.set('address', host ? host.addressOf(raw) : addressOf(peer, raw.headers.get('x-forwarded-for')));
    c.set('body', await readBody(raw));
    await next();
  });
  app.post(FUNCTION, async (c) => {
    const { requestId, address, body } = c.var;
    const sender = senderOf(c.req.raw, settings);
    const post = await readPost(c.req.raw.headers, body, { keys, topics: sentences.topics });
    const answer =
      'refused' in post
        ? refusal(post.refused, sentences)
        : await submit({ ...post.sent, requestId, sender, address });
    if (!post.isForm) return jsonAnswer('id' in answer ? { status: 200, ok: true, id: answer.id } : answer);
    // A page on another host is at SITE_URL; ours is wherever the browser already is.
    if ('id' in answer) return c.redirect(`${host || sender === 'allowed' ? home : ''}/#${SENT_ANCHOR}`, 303);
    const page = pages?.notSent ?? plainNotSentPage(`${home}/`, sentences);
    return notSentAnswer(answer, post.shown, page, sentences);
  });
  app.all(FUNCTION, () => refuse('method'));
  if (host)
    app.post(`${FUNCTION}/sweep`, async ({ req }) => {
      if (!sameText(bearerOf(req.raw.headers) ?? '', host.sweepSecret)) return refuse('wrongKey');
      return jsonAnswer({ status: 200, ok: true, ...(await options.sweep()) });
    });
  app.all(`${FUNCTIONS_PATH}/*`, () => refuse('unknownFunction'));

  // `/up` is what ONCE asks.
  app.on('GET', ['/healthz', '/up'], (c) => c.json({ ok: true }, 200, { 'cache-control': 'no-store' }));
  app.get('/readyz', async (c) => {
    const ok = await options.isReady();
    return c.json({ ok }, ok ? 200 : 503, { 'cache-control': 'no-store' });
  });

  if (desk) app.on('ALL', ['/desk', '/desk/*'], (c) => desk(c.req.raw, c.env));
  app.all('*', (c) => {
    const page = pages?.answer(c.req.method, c.req.raw.url, (name) => c.req.header(name));
    return page ? new Response(page.body, page) : c.text('Not found.\n', 404);
  });

  app.onError((error, c) => {
    log.error({ requestId: c.get('requestId'), err: error }, 'a request failed for an unforeseen reason');
    return refuse('unforeseen');
  });

  return app;
}

/** A Host such as `1.2.3.4.5` gives an address that can't be parsed, and no Request can hold credentials. */
function isReadable(address: string): boolean {
  const { username, password } = URL.parse(address) ?? { username: 'unreadable' };
  return !username && !password;
}
