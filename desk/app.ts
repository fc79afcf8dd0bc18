import { readdirSync } from 'node:fs';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { FOR_DESK } from '../publish/program.ts';
import { checkRoutes } from './check/routes.ts';
import type { Desk } from './command/desk.ts';
import { explain, Failed } from './command/failures.ts';
import { addDoor, type DoorParts, onlyFresh } from './door/door.ts';
import { headers } from './door/headers.ts';
import { awayPage } from './door/pages.ts';
import { keepRoutes } from './keep/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { readyRoutes } from './ready/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { type DeskApp, type DeskEnv, PLACE, plainPage, wordsPage } from './sheet/frame.ts';
import { addWords } from './words/words-page.ts';

/** The owner's pages, all below /desk. */
export function createDeskApp(desk: Desk, parts: DoorParts): DeskApp {
  const app: DeskApp = new Hono<DeskEnv>({ strict: false }).basePath(PLACE);
  const sheet = readdirSync(FOR_DESK).find((name) => /^desk-.*\.css$/.test(name));
  const css = `${PLACE}/assets/${sheet}`;

  app.use(headers);
  app.get(
    '/assets/*',
    serveStatic({ root: FOR_DESK, rewriteRequestPath: (path) => path.slice(`${PLACE}/assets`.length) }),
  );
  const door = addDoor(app, css, parts);
  app.use('/messages/:file{export\\..+}', onlyFresh(`${PLACE}/messages`));

  app.route('/', readyRoutes(desk));
  app.route('/messages', messageRoutes(desk));
  addWords(app, desk.settings, (c, script, styles) => wordsPage(c.var.frame, script, styles));
  app.route('/settings', settingsRoutes(desk, door));
  app.route('/check', checkRoutes());
  app.route('/keep', keepRoutes(desk));

  app.notFound((c) => c.html(plainPage(c.var.frame, 'Not found', 'There’s no such page.', ''), 404));
  app.onError((error, c) => {
    const { frame, device } = c.var;
    // Who isn't in reads nothing of the machine's.
    if (!device?.isIn) {
      parts.log.error({ err: error }, 'nobody can be let in at the desk');
      return c.html(awayPage(css), 503);
    }
    if (error instanceof Failed)
      return c.html(plainPage(frame, 'Not done', 'That didn’t work.', error.message), 409);
    try {
      const heading = 'Your messages can’t be reached just now.';
      return c.html(plainPage(frame, 'No messages', heading, explain(error)), 503);
    } catch {
      parts.log.error({ err: error }, 'a page of the desk failed for an unforeseen reason');
      const words = 'Something unexpected went wrong. The server’s log says more.';
      return c.html(plainPage(frame, 'Not done', 'That didn’t work.', words), 500);
    }
  });
  return app;
}
