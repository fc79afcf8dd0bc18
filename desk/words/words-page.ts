import { readdir } from 'node:fs/promises';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { getMimeType } from 'hono/utils/mime';
import { FOR_DESK } from '../../publish/program.ts';
import { publish } from '../../publish/publish.ts';
import { loadEnv, readSettings, type Settings } from '../../settings/settings.ts';
import { type DeskApp, type DeskContext, type Html, PLACE } from '../sheet/frame.ts';
import { openDraft } from './draft.ts';
import { keepPhoto, readKept } from './photo.ts';
import { openPreview } from './preview.ts';

type Read = Awaited<ReturnType<ReturnType<typeof openDraft>['read']>>;

/** What the editor gets after whatever it asks for. */
export interface EditorState extends Pick<Read, 'version' | 'fields' | 'changes' | 'steps'> {
  /** The page that was asked for, with marks around its texts; undefined if it can't be rendered. */
  html?: string | undefined;
  /** Why it wasn't done. */
  error?: string;
  /** What she should know about the page that was published. */
  notes?: string[];
}

/** Where the page is with its draft, and its files. */
const PAGE = `${PLACE}/words/page`;

/** A photo of 2,000 pixels, as the editor makes it, has some 2 MB. */
const MOST_BYTES = 20_000_000;

/**
 * Adds the page on which she changes the words.
 *
 * @param page the page around the editor, from the addresses of its script and styles
 */
export function addWords(
  app: DeskApp,
  settings: () => Settings,
  page: (c: DeskContext, script: string, css: string) => Html,
): void {
  const { wordsDir } = settings();
  const render = openPreview(settings, PAGE);
  // With the settings as they are then.
  const draft = openDraft(wordsDir, () => publish(readSettings(loadEnv())));

  app.get('/words', async (c) => {
    const names = await readdir(FOR_DESK);
    const address = (ending: string) =>
      `${PLACE}/assets/${names.find((one) => one.startsWith('editor-') && one.endsWith(ending))}`;
    return c.html(page(c, address('.js'), address('.css')));
  });

  app.get('/words/page/:folder{photos|assets}/*', async (c) => {
    const path = c.req.path.slice(PAGE.length);
    const body = path.startsWith('/photos/')
      ? readKept(wordsDir, path)
      : (await render(await draft.read())).file(path);
    const found = await body.catch(() => undefined);
    if (found === undefined) return c.notFound();
    const type = getMimeType(path) ?? 'application/octet-stream';
    return c.body(Buffer.from(found), 200, { 'content-type': type });
  });

  app.use('/words/draft/*', compress());
  app.get('/words/draft/state', (c) => answer(c, async () => {}));
  app.post('/words/draft/save', (c) =>
    answer(c, async () => {
      const { key, was, value } = await c.req.json();
      await draft.save(key, was, value);
    }),
  );
  app.post('/words/draft/photo', bodyLimit({ maxSize: MOST_BYTES }), (c) =>
    answer(c, async () => {
      const name = await keepPhoto(wordsDir, new Uint8Array(await c.req.arrayBuffer()));
      await draft.save('founder.photo', (await draft.read()).draft.photo, name);
    }),
  );
  app.post('/words/draft/publish', (c) =>
    answer(c, async () => draft.publish((await c.req.json()).version, new Date())),
  );
  app.post('/words/draft/throw-away', (c) => answer(c, draft.throwAway));

  /** The state after the action, with what she should know of it, or why it wasn't done. */
  async function answer(c: DeskContext, action: () => Promise<unknown>): Promise<Response> {
    try {
      const told = (error: Error) => ({ error: error.message });
      const said = await action().then((notes) => ({ notes: Array.isArray(notes) ? notes : [] }), told);
      const read = await draft.read();
      const { version, fields, changes, steps } = read;
      const shown = await render(read).then(({ page }) => ({ html: page(c.req.query('page') ?? '') }), told);
      return c.json<EditorState>({ version, fields, changes, steps, ...shown, ...said });
    } catch (error) {
      console.error(error);
      return c.json({ error: error instanceof Error ? error.message : String(error) }, 500);
    }
  }
}
