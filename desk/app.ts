import { readdirSync } from 'node:fs';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { FOR_DESK } from '../publish/program.ts';
import { checkRoutes } from './check/routes.ts';
import type { Desk } from './desk.ts';
import { type Access, headersFor } from './door/access.ts';
import { explain, Failed } from './failures.ts';
import { messageRoutes } from './messages/routes.ts';
import { readyRoutes } from './ready/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { type DeskApp, type DeskEnv, document, PLACE, plainPage, wordsPage } from './sheet/frame.ts';
import { addWords } from './words/words-page.ts';

/** The owner's pages, all below /desk. */
export async function createDeskApp(desk: Desk, access: Access): Promise<DeskApp> {
  const app: DeskApp = new Hono<DeskEnv>({ strict: false }).basePath(PLACE);
  const sheet = readdirSync(FOR_DESK).find((name) => /^desk-.*\.css$/.test(name));
  const css = `${PLACE}/assets/${sheet}`;

  app.use((c, next) => headersFor(c.req.path)(c, next));
  app.use(async (c, next) => {
    await next();
    const isAsset = /^\/desk\/(words\/)?assets\//.test(c.req.path) && c.res.ok;
    c.header('cache-control', isAsset ? 'max-age=31536000, immutable' : 'no-store');
  });
  app.use(
    access.guard((c, why, todo) => {
      const main = html`<main class="drawing"><h1>${why}</h1><p class="lead">${todo}</p></main>`;
      return c.html(document(css, why, main), 403);
    }),
  );
  app.get('/enter/:secret', access.enter);
  app.get(
    '/assets/*',
    serveStatic({ root: FOR_DESK, rewriteRequestPath: (path) => path.slice(`${PLACE}/assets`.length) }),
  );
  app.use(async (c, next) => {
    const { siteUrl, timeZone } = desk.settings();
    c.set('frame', { css, token: c.var.token, siteUrl, timeZone, now: Date.now() });
    await next();
  });

  app.route('/', readyRoutes(desk));
  app.route('/messages', messageRoutes(desk));
  addWords(app, desk.settings, (c, script, styles) => wordsPage(c.var.frame, script, styles));
  app.route('/settings', settingsRoutes(desk));
  app.route('/check', checkRoutes());

  app.notFound((c) => c.html(plainPage(c.var.frame, 'Not found', 'There’s no such page.', ''), 404));
  app.onError((error, c) => {
    const { frame } = c.var;
    if (error instanceof Failed)
      return c.html(plainPage(frame, 'Not done', 'That didn’t work.', error.message), 409);
    try {
      const words = `${explain(error)} Words, Settings and Check still work.`;
      const heading = 'Your messages can’t be reached just now.';
      return c.html(plainPage(frame, 'No messages', heading, words), 503);
    } catch {
      console.error(error);
      const words = 'Something unexpected went wrong. The terminal where the desk runs says more.';
      return c.html(plainPage(frame, 'Not done', 'That didn’t work.', words), 500);
    }
  });
  return app;
}
