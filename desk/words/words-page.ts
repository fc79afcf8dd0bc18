import { readdir } from 'node:fs/promises';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { getMimeType } from 'hono/utils/mime';
import { FOR_DESK } from '../../publish/program.ts';
import type { Desk } from '../command/desk.ts';
import { type DeskContext, type DeskEnv, PLACE, wordsPage } from '../sheet/frame.ts';
import type { Drafts } from './draft.ts';
import { keepPhoto, readKept } from './photo.ts';
import { openPreview } from './preview.ts';

type Read = Awaited<ReturnType<Drafts['read']>>;

/** What the editor gets after whatever it asks for. */
export interface EditorState extends Pick<Read, 'version' | 'fields' | 'changes' | 'steps'> {
  /** The page that was asked for, with marks around its texts; undefined if it can't be rendered. */
  html?: string | undefined;
  /** Why it wasn't done. */
  error?: string;
}

/** Where the page is with its draft, and its files. */
const PAGE = `${PLACE}/words/page`;

/** A photo of 2,000 pixels, as the editor makes it, has some 2 MB. */
const MOST_BYTES = 20_000_000;

/**
 * The page on which she changes the words, at /desk/words.
 *
 * @param explain a sentence for her about any error
 */
export function wordsRoutes(desk: Desk, draft: Drafts, explain: (error: unknown) => string): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  const { wordsDir } = desk.settings();
  const render = openPreview(desk.settings, PAGE);

  routes.get('/', async (c) => {
    const names = await readdir(FOR_DESK);
    const address = (ending: string) =>
      `${PLACE}/assets/${names.find((one) => one.startsWith('editor-') && one.endsWith(ending))}`;
    return c.html(wordsPage(c.var.frame, address('.js'), address('.css')));
  });

  routes.get('/page/:folder{photos|assets}/*', async (c) => {
    const path = c.req.path.slice(PAGE.length);
    const body = path.startsWith('/photos/')
      ? readKept(wordsDir, path)
      : (await render(await draft.read())).file(path);
    const found = await body.catch(() => undefined);
    if (found === undefined) return c.notFound();
    const type = getMimeType(path) ?? 'application/octet-stream';
    return c.body(Buffer.from(found), 200, { 'content-type': type });
  });

  routes.use('/draft/*', compress());
  routes.get('/draft/state', (c) => answer(c, async () => {}));
  routes.post('/draft/save', (c) =>
    answer(c, async () => {
      const { key, was, value, mine } = await c.req.json();
      await draft.save(key, was, value, mine);
    }),
  );
  routes.post('/draft/photo', bodyLimit({ maxSize: MOST_BYTES }), (c) =>
    answer(c, async () => {
      const name = await keepPhoto(wordsDir, new Uint8Array(await c.req.arrayBuffer()));
      await draft.save('founder.picture', (await draft.read()).draft.photo, name);
    }),
  );
  routes.post('/draft/publish', (c) =>
    answer(c, async () => draft.publish((await c.req.json()).version, new Date())),
  );
  routes.post('/draft/throw-away', (c) => answer(c, draft.throwAway));

  /** The state after the action, or why it wasn't done. */
  async function answer(c: DeskContext, action: () => Promise<unknown>): Promise<Response> {
    const told = (error: unknown) => ({ error: explain(error) });
    try {
      const said = await action().then(() => ({}), told);
      const read = await draft.read();
      const { version, fields, changes, steps } = read;
      const shown = await render(read).then(({ page }) => ({ html: page(c.req.query('page') ?? '') }), told);
      return c.json<EditorState>({ version, fields, changes, steps, ...shown, ...said });
    } catch (error) {
      return c.json(told(error), 500);
    }
  }
  return routes;
}
