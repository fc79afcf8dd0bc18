import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getMimeType } from 'hono/utils/mime';
import * as v from 'valibot';
import { FOR_DESK } from '../../publish/program.ts';
import { publish } from '../../publish/publish.ts';
import { WordsError } from '../../publish/words.ts';
import { loadEnv, readSettings, type Settings } from '../../settings/settings.ts';
import { type DraftState, Meanwhile, openDraft, Refused, type WordsState } from './draft.ts';
import { keepPhoto } from './photo.ts';
import { openPreview } from './preview.ts';

/** What the editor shows. */
export type EditorState = WordsState & {
  /** What each {place} says now. */
  places: Record<string, string>;
  /** What she calls each page, by its path. */
  pages: Record<string, string>;
};

/** After whatever was asked for. */
export type Answer = DraftState & {
  /** What she should know about the page that was published. */
  notes?: string[];
  /** The name of the photo that was kept. */
  photo?: string;
};

/** Why it wasn't done. */
export type Refusal = {
  error: string;
  /** Another device was first: what's there now. */
  now?: unknown;
  /** The page can't show it; it's marked in the draft. */
  marked?: DraftState;
};

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
  const rendered = async () => {
    const { draft, preview } = await editor();
    const { own, photo } = await draft.read();
    return preview.render(own, photo);
  };

  app.get(BASE, async (c) => {
    const names = await readdir(FOR_DESK);
    const address = (ending: string) =>
      `${BASE}/assets/${names.find((one) => one.startsWith('editor-') && one.endsWith(ending))}`;
    return c.html(page(address('.js'), address('.css')));
  });
  app.get(`${BASE}/assets/:file{editor-[\\w-]+\\.(js|css)}`, async (c) => {
    const file = c.req.param('file');
    const body = await readFile(join(FOR_DESK, file), 'utf8').catch(() => undefined);
    return body === undefined ? c.notFound() : sent(c, file, body);
  });

  // The frame that the editor puts the page into: with a doctype, and with a policy of its own.
  app.get(`${BASE}/page`, (c) => c.html('<!doctype html><title>Page</title>'));
  app.get(`${BASE}/page/photos/:name`, async (c) => {
    const { preview } = await editor();
    return sent(c, 'photo.jpg', await preview.photo(c.req.param('name')));
  });
  app.get(`${BASE}/page/assets/*`, async (c) => {
    const path = c.req.path.slice(`${BASE}/page/`.length);
    const { preview } = await editor();
    return sent(c, path, (await rendered()).file(path) ?? (await preview.published(path)));
  });
  app.get(`${BASE}/html/:path{.+}`, (c) =>
    answer(c, async () => {
      const html = (await rendered()).page(c.req.param('path'));
      return html === undefined ? c.notFound() : c.html(html);
    }),
  );

  app.get(`${BASE}/state`, (c) =>
    answer(c, async ({ draft, preview }) => {
      const { places } = await rendered();
      return c.json<EditorState>({ ...(await draft.state()), places, pages: preview.pages });
    }),
  );
  app.post(`${BASE}/save`, (c) =>
    answer(c, async ({ draft }) => {
      const { path, was, value } = v.parse(SAVE, await c.req.json());
      try {
        await draft.save(path, was, value);
      } catch (error) {
        // A list that can't be as she wants it stays as it was.
        if (!(error instanceof Refused) || error instanceof Meanwhile || typeof value === 'object')
          throw error;
        await draft.mark({ path, value, why: error.message });
        return c.json<Refusal>({ error: error.message, marked: await draft.brief() }, 409);
      }
      return c.json<Answer>(await draft.brief());
    }),
  );
  app.post(`${BASE}/photo`, bodyLimit({ maxSize: MOST_BYTES }), (c) =>
    answer(c, async ({ draft }) => {
      const bytes = new Uint8Array(await c.req.arrayBuffer());
      const photo = await keepPhoto(settings().wordsDir, bytes);
      return c.json<Answer>({ ...(await draft.brief()), photo });
    }),
  );
  app.post(`${BASE}/publish`, (c) =>
    answer(c, async ({ draft }) => {
      const { version } = v.parse(PUBLISH, await c.req.json());
      const notes = await draft.publish(version, new Date());
      return c.json<Answer>({ ...(await draft.brief()), notes });
    }),
  );
  app.post(`${BASE}/throw-away`, (c) =>
    answer(c, async ({ draft }) => {
      await draft.throwAway();
      return c.json<Answer>(await draft.brief());
    }),
  );

  /** What the action answers, or why it wasn't done. */
  async function answer(
    c: Context,
    action: (of: Awaited<ReturnType<typeof open>>) => Promise<Response>,
  ): Promise<Response> {
    try {
      return await action(await editor());
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      if (error instanceof Meanwhile) return c.json<Refusal>({ error: said, now: error.now ?? null }, 409);
      if (error instanceof Refused || error instanceof WordsError || error instanceof v.ValiError)
        return c.json<Refusal>({ error: said }, 409);
      console.error(error);
      return c.json<Refusal>({ error: said }, 500);
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
  const preview = await openPreview(settings, BASE);
  // With the settings as they are then.
  const draft = openDraft(settings.wordsDir, () => publish(readSettings(loadEnv())));
  return { preview, draft };
}
