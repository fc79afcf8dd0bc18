import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getMimeType } from 'hono/utils/mime';
import * as v from 'valibot';
import { build as viteBuild } from 'vite';
import { WordsError } from '../../build/owners-words.ts';
import { ROOT } from '../../build/vite.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Publishing } from '../publishing.ts';
import { openOwnWords, Refused, type WordsState } from './own-words.ts';
import { keepPhoto } from './photo.ts';
import { openPreview, PREVIEW, type Theme } from './preview.ts';

const EDITOR = 'desk/words/editor/main.tsx';
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
  app: Hono,
  settings: () => Settings,
  publishing: Publishing,
  page: (script: string, css: string) => string,
): void {
  let opened: ReturnType<typeof open> | undefined;
  /** Vite takes seconds to start, and she may not come here at all. */
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
    return c.html(page(assets.script.path, assets.css.path));
  });
  app.get('/words/assets/:file', async (c) => {
    const { assets } = await editor();
    const asset = Object.values(assets).find((one) => one.path === c.req.path);
    return asset ? c.body(asset.body, 200, { 'content-type': asset.type }) : c.notFound();
  });
  app.get(`${PREVIEW}:theme{light|dark}/*`, async (c) => {
    const theme = c.req.param('theme') as Theme;
    const file = c.req.path.slice(PREVIEW.length + theme.length + 1);
    const { preview } = await editor();
    if (file === '') return c.html(preview.html(theme));
    const body = preview.file(theme, file);
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
  app.post('/words/build', (c) => answer(c, async () => publishing.start()));
  app.get('/words/building', (c) => c.json(publishing.look()));

  /** The state of the words after the deed, or why it wasn't done. */
  async function answer(
    c: Context,
    deed: (of: Awaited<ReturnType<typeof open>>) => Promise<void>,
  ): Promise<Response> {
    try {
      const of = await editor();
      await deed(of);
      return c.json({ ...(await of.words.state()), places: await of.preview.places() } satisfies EditorState);
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
  const [preview, assets] = await Promise.all([openPreview(settings), bundleEditor()]);
  return { preview, assets, words: openOwnWords(settings.wordsDir, preview.show) };
}

async function bundleEditor() {
  const result = await viteBuild({
    root: ROOT,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    // Vite's server, which runs beside this, says otherwise.
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: { write: false, modulePreload: false, rolldownOptions: { input: join(ROOT, EDITOR) } },
  });
  const [first] = Array.isArray(result) ? result : [result];
  const output = first && 'output' in first ? first.output : [];
  const body = (ending: string) => {
    const file = output.find(({ fileName }) => fileName.endsWith(ending));
    return file?.type === 'chunk' ? file.code : String(file?.source ?? '');
  };
  const asset = (ending: string, type: string) => ({
    path: `/words/assets/${createHash('sha256').update(body(ending)).digest('hex').slice(0, 12)}${ending}`,
    body: body(ending),
    type,
  });
  return {
    script: asset('.js', 'text/javascript; charset=utf-8'),
    css: asset('.css', 'text/css; charset=utf-8'),
  };
}
