import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Hono } from 'hono';
import { hashed } from '../publish/emitted-files.ts';
import { FONT_SOURCE } from '../publish/fonts.ts';
import { FOR_DESK } from '../publish/program.ts';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { examine } from './check/examine.ts';
import type { Desk } from './desk.ts';
import { explain, Failed } from './failures.ts';
import { addMessages } from './messages/message-routes.ts';
import { type Access, headersFor } from './page/access.ts';
import { addSettings } from './page/settings-routes.ts';
import { createSheet, type DeskApp, type DeskContext, type DeskEnv, PLACE } from './page/sheet.ts';
import type * as Views from './page/views.tsx';
import { addWords } from './words/words-page.ts';

const AWAY = { title: 'No messages', heading: 'Your messages can’t be reached just now.' };

/** The owner's pages, all below /desk. */
export async function createDeskApp(desk: Desk, access: Access): Promise<DeskApp> {
  const app: DeskApp = new Hono<DeskEnv>({ strict: false }).basePath(PLACE);
  const { pages } = (await import(pathToFileURL(join(FOR_DESK, 'views.js')).href)) as typeof Views;
  const { css, font } = await readAssets();

  const sheet = createSheet(desk, css.path);

  app.use((c, next) => headersFor(c.req.path)(c, next));
  app.use(async (c, next) => {
    await next();
    const isAsset = /^\/desk\/(words\/)?assets\//.test(c.req.path) && c.res.ok;
    c.header('cache-control', isAsset ? 'max-age=31536000, immutable' : 'no-store');
  });
  app.use(access.guard((c, why, todo) => c.html(pages.refused(css.path, why, todo), 403)));
  app.get('/enter/:secret', access.enter);
  app.get(css.path.slice(PLACE.length), (c) =>
    c.body(css.body.toString(), 200, { 'content-type': 'text/css; charset=utf-8' }),
  );
  app.get(font.path.slice(PLACE.length), (c) =>
    c.body(Buffer.from(font.body), 200, { 'content-type': 'font/woff2' }),
  );

  addMessages(app, desk, pages, sheet);
  addWords(app, desk.settings, async (c, script, styles) =>
    pages.words(await sheet.frame(c), script, styles),
  );
  addSettings(app, desk, pages, sheet);

  // Looking takes some seconds; the browser shows this until it has the next page.
  app.get('/doctor', async (c) => {
    c.header('refresh', '0; url=/desk/doctor/findings');
    const words = 'It takes a few seconds, and half a minute when somebody doesn’t answer.';
    const waiting = { title: 'Doctor', heading: 'The doctor is looking …', words };
    return c.html(pages.plain(await sheet.frame(c), waiting));
  });
  app.get('/doctor/findings', async (c) => c.html(pages.doctor(await sheet.frame(c), await examine([], {}))));

  const fault = async (c: DeskContext, words: string) =>
    pages.plain(await sheet.frame(c), { title: 'Not done', heading: 'That didn’t work.', words });
  app.notFound(async (c) => c.html(await fault(c, 'There’s no such page.'), 404));
  app.onError(async (error, c) => {
    if (error instanceof Failed)
      return c.html(await fault(c, error.message), c.req.method === 'GET' ? 404 : 409);
    try {
      const words = `${explain(error)} Words, Settings and Doctor still work.`;
      return c.html(pages.plain(await sheet.frame(c), { ...AWAY, words }), 503);
    } catch {
      console.error(error);
      const words = 'Something unexpected went wrong. The terminal where the desk runs says more.';
      return c.html(await fault(c, words), 500);
    }
  });
  return app;
}

/** The colours and type of the site, and what only the desk needs. */
async function readAssets() {
  const site = ['styles/tokens.first', 'styles/tokens', 'styles/base.first', 'styles/base'];
  const parts = [...site, 'drawings/drawing.first', 'ui/TitleBlock.first.module'];
  const files = [...parts.map((name) => `site/${name}.css`), 'desk/page/desk.css', 'desk/page/settings.css'];
  const rules = await Promise.all(files.map((path) => readFile(join(PROJECT_ROOT, path), 'utf8')));
  const font = hashed(`${PLACE}/assets/archivo.woff2`, await readFile(FONT_SOURCE));
  const face = (family: string, weight: string, stretch: string) =>
    `@font-face{font-family:"${family}";src:url(${font.path});font-weight:${weight};font-stretch:${stretch}}`;
  const faces = [face('Archivo', '400 700', '100%'), face('Archivo Wide', '800', '125%')];
  return { font, css: hashed(`${PLACE}/assets/desk.css`, [...faces, ...rules].join('\n')) };
}
