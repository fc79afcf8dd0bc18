import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { getMimeType } from 'hono/utils/mime';
import { photoIn } from '../../publish/photo.ts';
import { openProgram } from '../../publish/program.ts';
import { DIST, dressed, readPublished, shownOf } from '../../publish/publish.ts';
import { checkedWords, type Words } from '../../publish/words.ts';
import type { Settings } from '../../settings/settings.ts';
import type { explain } from '../command/command.ts';
import { type DeskApp, type DeskContext, localTime, PLACE, type Served, wordsPage } from '../sheet/frame.ts';
import type { Drafts, Step } from './draft.ts';
import { withValue } from './outline.ts';
import { keepPhoto, readKept } from './photo.ts';
import { MARK, withMark } from './values.ts';

type Read = Awaited<ReturnType<Drafts['read']>>;

/** What the editor gets after whatever it asks for. */
export interface EditorState extends Pick<Read, 'version' | 'fields' | 'changes' | 'order'> {
  steps: (Step & { when: string })[];
  /** The page that was asked for, with marks around its texts; undefined if it can't be rendered. */
  html?: string | undefined;
  /** Whether visitors see what's published only once she has uploaded it to a static host. */
  isUploaded: boolean;
  error?: string;
}

const PAGE = `${PLACE}/words/page`;

/** A photo of 2,000 pixels, as the editor makes it, is about 2 MB. */
const MOST_BYTES = 20_000_000;

/** The page on which she changes the words, at /desk/words. @param say a sentence for her about any error */
export function addWords(app: DeskApp, { settings }: Served, draft: Drafts, say: typeof explain): void {
  const { wordsDir } = settings;
  let last: Awaited<ReturnType<typeof render>> | undefined;

  async function preview(read: Read) {
    if (last?.version !== read.version)
      last = await render(read, settings).catch(async (error) => {
        // Most likely it's something she wrote by hand; this names its line.
        await checkedWords(wordsDir);
        throw error;
      });
    return last;
  }

  app.get('/words', (c) => c.html(wordsPage(c.var.frame)));

  app.get('/words/page/:folder{photos|assets}/*', async (c) => {
    const path = c.req.path.slice(PAGE.length);
    const body = path.startsWith('/photos/')
      ? readKept(wordsDir, path)
      : (await preview(await draft.read())).file(path);
    const found = await body.catch(() => undefined);
    if (found === undefined) return c.notFound();
    const type = getMimeType(path) ?? 'application/octet-stream';
    return c.body(Buffer.from(found), 200, { 'content-type': type });
  });

  const actions: Record<string, (c: DeskContext) => Promise<unknown>> = {
    save: async (c) => draft.save(await c.req.json()),
    photo: async (c) => {
      const value = await keepPhoto(wordsDir, new Uint8Array(await c.req.arrayBuffer()));
      await draft.save({ key: 'founder.picture', was: (await draft.read()).draft.photo, value });
    },
    publish: async (c) => draft.publish((await c.req.json()).version, new Date()),
    'throw-away': async (c) => draft.throwAway((await c.req.json()).version),
  };
  app.use('/words/draft/*', compress());
  app.use('/words/draft/photo', bodyLimit({ maxSize: MOST_BYTES }));
  app.get('/words/draft/state', (c) => answer(c, async () => {}));
  for (const [name, action] of Object.entries(actions))
    app.post(`/words/draft/${name}`, (c) => answer(c, action));

  /** The state after the action, or why it wasn't done. */
  async function answer(c: DeskContext, action: (c: DeskContext) => Promise<unknown>): Promise<Response> {
    const told = (error: unknown) => ({ error: say(error) });
    try {
      const said = await action(c).then(() => ({}), told);
      const read = await draft.read();
      const { version, fields, changes, order } = read;
      const steps = read.steps.map((one) => ({ ...one, when: localTime(Date.parse(one.at), c.var.frame) }));
      const shown = await preview(read).then(({ page }) => ({ html: page(c.req.query('page') ?? '') }), told);
      const isUploaded = settings.supabaseUrl !== undefined;
      return c.json<EditorState>({ version, fields, changes, order, steps, isUploaded, ...shown, ...said });
    } catch (error) {
      return c.json(told(error), 500);
    }
  }
}

/** The pages with a draft, and what they show. Each text has its mark. */
async function render({ version, words: all, fields, draft: { photo } }: Read, settings: Settings) {
  let words: unknown = all;
  for (const [at, field] of fields.entries()) {
    if (field.kind === 'text' && field.isShown)
      words = withValue(words, field.key.split('.'), withMark(at, field.value));
  }
  // Those that are off are written before they're turned on.
  for (const page of ['terms', 'privacy']) words = withValue(words, [page, 'on'], true);
  const program = await openProgram(words as Words);
  const { letters = '' } = await readPublished();
  const { assets, files } = dressed(program, { shown: shownOf(settings) }, letters);
  const ofDesk = JSON.parse(JSON.stringify(assets).replaceAll('"/assets/', `"${PAGE}/assets/`));
  const founderPhoto = photo ? photoIn(`${PAGE.slice(1)}/photos/${photo}`) : null;
  const pages = program.renderPages({ ...ofDesk, founderPhoto });
  return {
    version,
    // Its %%places%% are empty until a visitor's message isn't sent.
    page: (path: string) => pages[path]?.replace(/%%[\w-]+%%/g, ''),
    /** @param path of one that the pages name, such as `/assets/later.css` */
    async file(path: string): Promise<string | Uint8Array> {
      const body = files[path.slice(1)];
      if (body === undefined) return readFile(join(DIST, 'assets', basename(path)));
      return String(body).replace(MARK, '').replaceAll('/assets/', `${PAGE}/assets/`);
    },
  };
}
