import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { getMimeType } from 'hono/utils/mime';
import * as v from 'valibot';
import { FOR_DESK } from '../../publish/program.ts';
import { publish } from '../../publish/publish.ts';
import { loadEnv, readSettings, type Settings } from '../../settings/settings.ts';
import { openDraft, PHOTO } from './draft.ts';
import { keepPhoto, readKept } from './photo.ts';
import { openPreview } from './preview.ts';

type Opened = Awaited<ReturnType<typeof open>>;
type Read = Awaited<ReturnType<Opened['draft']['read']>>;

/** What the editor gets after whatever it asks for. */
export interface EditorState extends Pick<Read, 'version' | 'fields' | 'changes' | 'steps'> {
  /** The page that was asked for, with marks around its texts; undefined if it can't be rendered. */
  html?: string | undefined;
  /** Why it wasn't done. */
  error?: string;
  /** What she should know about the page that was published. */
  notes?: string[];
}

const BASE = '/words';

/** A photo of 2,000 pixels, as the editor makes it, has some 2 MB. */
const MOST_BYTES = 20_000_000;

const SAVE = v.object({
  path: v.array(v.union([v.string(), v.number()])),
  was: v.optional(v.unknown()),
  value: v.optional(v.unknown()),
});
const PUBLISH = v.object({ version: v.string() });

/**
 * Adds the page on which she changes the words.
 *
 * @param page the page around the editor, from the addresses of its script and styles
 */
export function addWords(
  app: Hono,
  settings: () => Settings,
  page: (script: string, css: string) => string,
): void {
  let opened: Promise<Opened> | undefined;
  /** It takes memory, and she may not come here at all. */
  const editor = () => {
    opened ??= open(settings());
    // What keeps it from opening, such as a mistake made by hand, may be mended.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };

  app.get(BASE, async (c) => {
    const names = await readdir(FOR_DESK);
    const address = (ending: string) =>
      `${BASE}/assets/${names.find((one) => one.startsWith('editor-') && one.endsWith(ending))}`;
    return c.html(page(address('.js'), address('.css')));
  });
  app.get(`${BASE}/assets/:file{editor-[\\w-]+\\.(js|css)}`, async (c) => {
    const file = c.req.param('file');
    return sent(c, file, await readFile(join(FOR_DESK, file)).catch(() => undefined));
  });

  // The frame that the editor puts the page into: with a doctype, and with a policy of its own.
  app.get(`${BASE}/page`, (c) => c.html('<!doctype html><title>Page</title>'));
  app.get(`${BASE}/page/photos/:name`, async (c) => {
    const photo = readKept(settings().wordsDir, c.req.param('name'));
    return sent(c, 'photo.jpg', await photo.catch(() => undefined));
  });
  app.get(`${BASE}/page/assets/*`, async (c) => {
    const path = c.req.path.slice(c.req.path.indexOf('assets/'));
    const { draft, render } = await editor();
    return sent(c, path, await (await render(await draft.read())).file(path));
  });

  app.use(`${BASE}/draft/*`, compress());
  app.get(`${BASE}/draft/state`, (c) => answer(c, async () => []));
  app.post(`${BASE}/draft/save`, (c) =>
    answer(c, async ({ draft }) => {
      const { path, was, value } = v.parse(SAVE, await c.req.json());
      await draft.save(path, was, value);
      return [];
    }),
  );
  app.post(`${BASE}/draft/photo`, bodyLimit({ maxSize: MOST_BYTES }), (c) =>
    answer(c, async ({ draft }) => {
      const name = await keepPhoto(settings().wordsDir, new Uint8Array(await c.req.arrayBuffer()));
      await draft.save(PHOTO, (await draft.read()).draft.photo, name);
      return [];
    }),
  );
  app.post(`${BASE}/draft/publish`, (c) =>
    answer(c, async ({ draft }) => draft.publish(v.parse(PUBLISH, await c.req.json()).version, new Date())),
  );
  app.post(`${BASE}/draft/throw-away`, (c) => answer(c, ({ draft }) => draft.throwAway().then(() => [])));

  /** The state after the action, with what she should know of it, or why it wasn't done. */
  async function answer(c: Context, action: (of: Opened) => Promise<string[]>): Promise<Response> {
    try {
      const of = await editor();
      const told = (error: Error) => ({ error: error.message });
      const said = await action(of).then((notes) => ({ notes }), told);
      const read = await of.draft.read();
      const { version, fields, changes, steps } = read;
      const shown = await of
        .render(read)
        .then(({ page }) => ({ html: page(c.req.query('page') ?? '') }), told);
      return c.json<EditorState>({ version, fields, changes, steps, ...shown, ...said });
    } catch (error) {
      console.error(error);
      return c.json({ error: error instanceof Error ? error.message : String(error) }, 500);
    }
  }
}

function sent(c: Context, name: string, body: string | Uint8Array | undefined): Response | Promise<Response> {
  if (body === undefined) return c.notFound();
  const type = getMimeType(name) ?? 'application/octet-stream';
  return c.body(typeof body === 'string' ? body : Buffer.from(body), 200, { 'content-type': type });
}

async function open(settings: Settings) {
  await mkdir(settings.wordsDir, { recursive: true });
  const render = await openPreview(settings, `${BASE}/page`);
  // With the settings as they are then.
  const draft = openDraft(settings.wordsDir, () => publish(readSettings(loadEnv())));
  return { render, draft };
}
