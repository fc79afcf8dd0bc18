import { serveStatic } from '@hono/node-server/serve-static';
import { Hono, type MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { FOR_DESK } from '../publish/program.ts';
import { DIST, publish } from '../publish/publish.ts';
import { MaybeStored } from '../server/messages/store-error.ts';
import type { Settings } from '../settings/settings.ts';
import { addCheck } from './check/routes.ts';
import { explain, Failed } from './command/command.ts';
import { addDoor, type DoorParts } from './door/door.ts';
import { awayPage } from './door/pages.ts';
import { addKeep } from './keep/routes.ts';
import { addMessages } from './messages/routes.ts';
import { addReady } from './ready/routes.ts';
import { addSettings } from './settings/routes.ts';
import { type DeskApp, type DeskEnv, PLACE, plainPage } from './sheet/frame.ts';
import { openDraft } from './words/draft.ts';
import { addWords } from './words/words-page.ts';

/** `reload` reads the current settings; the rest of the server restarts to get them. `takeOverPage` shows what's published. */
type Parts = DoorParts & { reload(): Settings; takeOverPage(): void };

/** The owner's pages, all below /desk. @param dist where the page is published */
export function createDeskApp(parts: Parts, dist = DIST): DeskApp {
  const app: DeskApp = new Hono<DeskEnv>({ strict: false }).basePath(PLACE);

  /** A sentence for her. Unforeseen errors go to the log. */
  function say(error: unknown): string {
    try {
      return explain(error);
    } catch {
      parts.log.error({ err: error }, 'a page of the desk failed for an unforeseen reason');
      return 'Something unexpected went wrong. The server’s log says more.';
    }
  }

  app.use(headers);
  app.get(
    '/assets/*',
    serveStatic({ root: FOR_DESK, rewriteRequestPath: (path) => path.slice(`${PLACE}/assets`.length) }),
  );
  addDoor(app, parts);

  // With the settings of that moment.
  const publishNow = () => publish(parts.reload(), dist).then(parts.takeOverPage);
  // One for all, since each has its own queue.
  const draft = openDraft(parts.settings.wordsDir, publishNow, dist);
  addReady(app, parts);
  addMessages(app, parts);
  addWords(app, parts, draft, say);
  addSettings(app, parts, draft, dist);
  addCheck(app);
  addKeep(app, parts);

  app.notFound((c) => c.html(plainPage(c.var.frame, 'Not found', 'There’s no such page.', ''), 404));
  app.onError((error, c) => {
    // A body that's too large
    if (error instanceof HTTPException) return error.getResponse();
    const { frame, device } = c.var;
    // Whoever isn't signed in learns nothing about the machine.
    if (!device?.isIn) {
      parts.log.error({ err: error }, 'nobody can be let in at the desk');
      return c.html(awayPage(), 503);
    }
    const status = error instanceof Failed ? 409 : 500;
    // Where she can try again, such as with another file: each action's path is its page's, or below it.
    const back = c.req.path.replace(/(?<=^\/desk\/.+)\/[^/]+$/, '');
    const isUnknown = error instanceof MaybeStored;
    const title = isUnknown ? 'That may or may not have worked.' : 'That didn’t work.';
    return c.html(
      plainPage(
        frame,
        'Not done',
        title,
        html`${say(error)} ${back !== PLACE && html`<a href="${back}">Go back</a>`}`,
      ),
      status,
    );
  });
  return app;
}

const NONE = ["'none'"];
const OWN = ["'self'"];

const headersWith = (policy: Record<string, string[]>) =>
  secureHeaders({
    contentSecurityPolicy: { defaultSrc: NONE, fontSrc: OWN, baseUri: NONE, ...policy, frameAncestors: NONE },
    // With none at all, browsers send even our own forms with a null origin.
    referrerPolicy: 'same-origin',
    // That's up to whoever fetches the certificate, for the whole site.
    strictTransportSecurity: false,
    xFrameOptions: 'DENY',
  });

/** No scripts, nothing from elsewhere, no framing. The one image is the site's icon, for Firefox. */
const HEADERS = headersWith({ styleSrc: OWN, imgSrc: OWN, formAction: OWN });

/** The words page runs our own script. The page in its frame has the same policy, and inline styles. */
const EDITOR_HEADERS = headersWith({
  scriptSrc: OWN,
  connectSrc: OWN,
  styleSrc: [...OWN, "'unsafe-inline'"],
  imgSrc: [...OWN, 'data:'],
  // The page in the frame has a form that sends messages.
  formAction: NONE,
});

const headers: MiddlewareHandler = async (c, next) => {
  // Nobody has read a page that was only prefetched. Refused, the browser asks again once she goes there.
  if (c.req.header('sec-purpose')?.includes('prefetch')) return c.body(null, 503);
  await (c.req.path.startsWith('/desk/words') ? EDITOR_HEADERS : HEADERS)(c, next);
  const isAsset = /^\/desk\/assets\//.test(c.req.path) && c.res.ok;
  // Cloudflare would replace each address with “[email protected]”, even in the link that answers it.
  c.header('cache-control', isAsset ? 'max-age=31536000, immutable' : 'no-store, no-transform');
  c.header('x-robots-tag', 'noindex');
};
