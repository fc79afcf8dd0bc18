import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getMimeType } from 'hono/utils/mime';
import * as v from 'valibot';
import { FOR_DESK } from '../../publish/program.ts';
import { publish } from '../../publish/publish.ts';
import { WordsError } from '../../publish/words.ts';
import { loadEnv, readSettings, type Settings } from '../../settings/settings.ts';
import type { DeskApp, DeskContext, Html } from '../sheet/frame.ts';
import { openOwnWords, Refused, type WordsState } from './own-words.ts';
import { keepPhoto } from './photo.ts';
import { openPreview, PREVIEW, type Theme } from './preview.ts';

/** What the editor gets after whatever it asks for. */
export type EditorState = WordsState & {
  /** What each {place} says now. */
  places: Record<string, string>;
};

/** A photo of a phone, made smaller by the browser, has some 2 MB. */
const MOST_BYTES = 30_000_000;

const path = v.array(v.union([v.string(), v.number()]));
const SAVE = v.object({ path, was: v.unknown(), value: v.optional(v.unknown()) });
const ARRANGE = v.object({
  path,
  seen: v.string(),
  at: v.number(),
  how: v.picklist(['add', 'remove', 'up', 'down']),
});

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
  let lastPublished: Promise<unknown> = Promise.resolve();
  let opened: ReturnType<typeof open> | undefined;
  /** It takes memory, and she may not come here at all. */
  const editor = () => {
    opened ??= open(settings());
    // What keeps it from opening, such as a mistake made by hand, may be mended.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };

  app.get('/words', async (c) => {
    const { assets } = await editor();
    return c.html(page(c, assets.script.path, assets.css.path));
  });
  app.get('/words/assets/:file', async (c) => {
    const { assets } = await editor();
    const asset = Object.values(assets).find((one) => one.path === c.req.path);
    return asset ? c.body(asset.body, 200, { 'content-type': asset.type }) : c.notFound();
  });
  app.get('/words/page/:theme{light|dark}/*', async (c) => {
    const theme = c.req.param('theme') as Theme;
    const file = c.req.path.slice(PREVIEW.length + theme.length + 1);
    const { preview } = await editor();
    if (file === '') return c.html(preview.html(theme));
    const body = await preview.file(theme, file);
    if (body === undefined) return c.notFound();
    const type = getMimeType(file) ?? 'application/octet-stream';
    return c.body(typeof body === 'string' ? body : Buffer.from(body), 200, { 'content-type': type });
  });

  app.get('/words/state', (c) => answer(c, ({ words }) => words.refresh()));
  // The pictures of the page follow its words.
  app.get('/words/whole', (c) => answer(c, async ({ preview }) => preview.whole()));
  app.post('/words/save', (c) =>
    answer(c, async ({ words }) => {
      const { path: where, was, value } = v.parse(SAVE, await c.req.json());
      await words.save(where, was, value);
    }),
  );
  app.post('/words/arrange', (c) =>
    answer(c, async ({ words }) => {
      const { path: where, seen, at, how } = v.parse(ARRANGE, await c.req.json());
      await words.arrange(where, seen, at, how);
    }),
  );
  app.post('/words/undo', (c) => answer(c, ({ words }) => words.undo()));
  app.post('/words/redo', (c) => answer(c, ({ words }) => words.redo()));
  app.post('/words/photo', bodyLimit({ maxSize: MOST_BYTES }), (c) =>
    answer(c, async ({ words, preview }) => {
      const bytes = new Uint8Array(await c.req.arrayBuffer());
      await words.setPhoto(bytes.length === 0 ? undefined : await keepPhoto(settings().wordsDir, bytes));
      await preview.whole();
    }),
  );
  app.post('/words/publish', (c) =>
    answer(c, async () => {
      // One after the other, with the settings as they are then.
      const turn = lastPublished.then(() => publish(readSettings(loadEnv())));
      lastPublished = turn.catch(() => {});
      await turn;
    }),
  );

  /** The state of the words after the deed, or why it wasn't done. */
  async function answer(
    c: Context,
    action: (of: Awaited<ReturnType<typeof open>>) => Promise<void>,
  ): Promise<Response> {
    try {
      const of = await editor();
      await action(of);
      return c.json({ ...(await of.words.state()), places: of.preview.places() } satisfies EditorState);
    } catch (error) {
      if (error instanceof Refused) return c.json({ error: error.message, path: error.path }, 409);
      if (error instanceof WordsError || error instanceof v.ValiError)
        return c.json({ error: error.message }, 409);
      console.error(error);
      return c.json({ error: error instanceof Error ? error.message : String(error) }, 500);
    }
  }
}

async function open(settings: Settings) {
  await mkdir(settings.wordsDir, { recursive: true });
  const [preview, assets] = await Promise.all([openPreview(settings), readEditor()]);
  return { preview, assets, words: openOwnWords(settings.wordsDir, preview.show) };
}

async function readEditor() {
  const names = await readdir(FOR_DESK);
  const asset = async (ending: string, type: string) => {
    const name = names.find((one) => one.startsWith('editor-') && one.endsWith(ending)) ?? '';
    return { path: `/desk/words/assets/${name}`, body: await readFile(join(FOR_DESK, name), 'utf8'), type };
  };
  return {
    script: await asset('.js', 'text/javascript; charset=utf-8'),
    css: await asset('.css', 'text/css; charset=utf-8'),
  };
}
