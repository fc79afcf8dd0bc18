import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { FUNCTION_NAME, FUNCTIONS_PATH, SENT_ANCHOR } from '../../contract/contact-message.ts';
import { jsonAnswer, notSentAnswer, plainNotSentPage, type Reason, refusal } from './answers.ts';
import { addressFinder, bearerOf, corsFor, sameText, senderOf } from './client.ts';
import type { Fetch } from './listen.ts';
import { type Body, isFormPost, readBody, readCall, readForm } from './post.ts';
import type { Pages } from './static.ts';
import { type SubmitParts, submit } from './submit.ts';

export type AppParts = SubmitParts & {
  isReady: () => Promise<boolean>;
  /** If absent, only the function is served. */
  pages?: Pages | undefined;
  desk?: Fetch | undefined;
  onDeskChanged: () => void;
  /** If absent, it's our own HTTP server. */
  host?: FunctionHost | undefined;
  /** Each minute's work, for platforms where nothing runs between requests; the response contains what it returns. */
  sweep: () => Promise<object>;
};

/** A platform that calls the function, such as Supabase. Mails go out there after a response, and during sweeps. */
type FunctionHost = {
  /** The path our own server would see. */
  pathOf(request: Request): string;
  keys: readonly string[];
  /** Keeps the process alive for work that goes on after the response. */
  inBackground(work: Promise<unknown>): void;
};

type AppEnv = {
  Variables: { requestId: string; address: string | undefined; body: Body };
  /** Who calls. If a platform doesn't say, its requests aren't rate-limited. */
  Bindings: { incoming?: { socket: { remoteAddress?: string | undefined } } | undefined };
};

const FUNCTION = `${FUNCTIONS_PATH}/${FUNCTION_NAME}`;

export function createApp(parts: AppParts): Hono<AppEnv> {
  const { settings, sentences, log, pages, desk, host } = parts;
  const keys = host?.keys ?? [settings.supabaseAnonKey];
  const home = settings.siteUrl ?? '';
  const addressOf = addressFinder(settings.trustProxy, log);
  const refuse = (reason: Reason) => jsonAnswer(refusal(reason, sentences));
  const app = new Hono<AppEnv>({ getPath: host?.pathOf ?? getPath });

  function unforeseen(error: unknown, requestId: string) {
    log.error({ requestId, err: error }, 'a request failed for an unforeseen reason');
    return refusal('unforeseen', sentences);
  }

  app.use(`${FUNCTIONS_PATH}/*`, async (c, next) => {
    // Never the client's own id, which would put a stranger's text in the log.
    const requestId = crypto.randomUUID();
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
  app.use(async ({ req }, next) => {
    // A Host such as `1.2.3.4.5` gives an address that can't be parsed, and no Request can hold credentials.
    const { username, password } = URL.parse(req.raw.url) ?? { username: 'unreadable' };
    return username || password ? refuse('badAddress') : next();
  });
  app.use(`${FUNCTIONS_PATH}/*`, async (c, next) => {
    const { raw } = c.req;
    // First, because a connection that closes while the body is read no longer has an address.
    const peer = c.env?.incoming?.socket.remoteAddress;
    c.set('address', host && !peer ? undefined : addressOf(peer, raw.headers.get('x-forwarded-for')));
    c.set('body', await readBody(raw));
    await next();
  });
  app.post(FUNCTION, async (c) => {
    const { requestId, address, body } = c.var;
    const { headers } = c.req.raw;
    const sender = senderOf(c.req.raw, settings);
    const isForm = isFormPost(headers);
    const post = isForm ? await readForm(headers, body, sentences.topics) : readCall(headers, body, keys);
    const answer = await submit(parts, { ...post, requestId, sender, address }).catch((error: unknown) =>
      unforeseen(error, requestId),
    );
    if (!isForm) return jsonAnswer('id' in answer ? { status: 200, ok: true, id: answer.id } : answer);
    // A page on another host is at SITE_URL; ours is wherever the browser already is.
    if ('id' in answer) return c.redirect(`${host || sender === 'allowed' ? home : ''}/#${SENT_ANCHOR}`, 303);
    const page = pages?.notSent ?? plainNotSentPage(`${home}/`, sentences);
    return notSentAnswer(answer, post.shown, page, sentences);
  });
  app.all(FUNCTION, () => refuse('method'));
  const { sweepSecret } = settings;
  if (host && sweepSecret)
    app.post(`${FUNCTION}/sweep`, async ({ req }) => {
      if (!sameText(bearerOf(req.raw.headers) ?? '', sweepSecret)) return refuse('wrongKey');
      return jsonAnswer({ status: 200, ok: true, ...(await parts.sweep()) });
    });
  app.all(`${FUNCTIONS_PATH}/*`, () => refuse('unknownFunction'));

  // `/up` is what ONCE asks.
  app.on('GET', ['/healthz', '/up'], (c) => c.json({ ok: true }, 200, { 'cache-control': 'no-store' }));
  app.get('/readyz', async (c) => {
    const ok = await parts.isReady();
    return c.json({ ok }, ok ? 200 : 503, { 'cache-control': 'no-store' });
  });

  if (desk)
    app.on('ALL', ['/desk', '/desk/*'], async (c) => {
      const answer = await desk(c.req.raw, c.env);
      if (c.req.method === 'POST') parts.onDeskChanged();
      return answer;
    });
  app.all('*', (c) => {
    const page = pages?.answer(c.req.method, c.req.raw.url, (name) => c.req.header(name));
    return page ? new Response(page.body, page) : c.text('Not found.\n', 404);
  });

  app.onError((error, c) => jsonAnswer(unforeseen(error, c.get('requestId'))));

  return app;
}
