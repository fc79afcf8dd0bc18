import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProgram, type Renderer } from '../../publish/program.ts';
import { assemble, photoSeal, readPublished, shownOf } from '../../publish/publish.ts';
import { layOver, type Part, readOwn, readParts, type Words } from '../../publish/words.ts';
import type { Settings } from '../../settings/settings.ts';
import { mapTexts, markable } from './outline.ts';

/** Where the page of the preview is, without the theme that follows. */
export const PREVIEW = '/desk/words/page/';
export type Theme = 'light' | 'dark';

/** Before and after each text while it's rendered. The number between the first two names the text. */
const OPEN = '\ue001';
const NAMED = '\ue002';
const CLOSE = '\ue003';
const MARKS = /\ue001\d+\ue002|\ue003/g;

type Assembled = Awaited<ReturnType<typeof assemble>>;

/** The page with words that aren't published yet. */
export async function openPreview(settings: Settings) {
  const program = await openProgram();
  const { wordsDir } = settings;
  /** Of its pictures and glyphs. */
  const folder = mkdtempSync(join(tmpdir(), 'preview-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  let { own } = await readOwn(wordsDir);
  /** The texts of the page by the numbers in their marks. */
  let texts: string[] = [];

  function withMarks(name: string, { shape, ours }: Part): unknown {
    return mapTexts(shape, layOver(ours, own[name]), [name], (schema, text, path) => {
      if (!markable(schema, text, OPEN)) return text;
      return `${OPEN}${texts.push(path.join('.')) - 1}${NAMED}${text}${CLOSE}`;
    });
  }

  let assembled: Assembled | undefined;
  let pages: Record<string, string> = {};
  let renderer: Renderer;
  /** The words that pictures and glyphs are made for. */
  let madeFor: Words | undefined;

  /**
   * Renders the page with these words.
   *
   * @throws an Error if the page can't be rendered with them
   */
  async function show(words: Words): Promise<void> {
    own = words;
    texts = [];
    const parts = await readParts();
    renderer = program.render(
      Object.fromEntries([...parts].map(([name, part]) => [name, withMarks(name, part)])),
    );
    if (assembled) pages = await renderer.renderPages(assembled.assets);
  }

  /** Makes the pictures and glyphs for the words, too, which takes longer than the words alone. */
  async function whole(): Promise<void> {
    if (madeFor === own) return;
    madeFor = own;
    const of = renderer;
    const bare: Renderer = {
      ...of,
      renderShared: () => JSON.parse(withoutMarks(JSON.stringify(of.renderShared()))),
      renderPages: async (assets) =>
        Object.fromEntries(
          Object.entries(await of.renderPages(assets)).map(([path, html]) => [path, withoutMarks(html)]),
        ),
    };
    const before = { ...(await readPublished()), ...(assembled && { letters: assembled.letters }) };
    const shown = shownOf(settings);
    const photo = await photoSeal(wordsDir);
    assembled = await assemble({ program, renderer: bare, shown, photo, wordsDir }, folder, before);
    pages = await renderer.renderPages(assembled.assets);
  }

  await show(own);
  await whole();
  return {
    show,
    whole,
    /** What each {place} says now. */
    places: (): Record<string, string> =>
      Object.fromEntries(
        Object.entries(renderer.renderPlaces()).map(([location, text]) => [location, withoutMarks(text)]),
      ),
    /** The page in a theme, whatever the browser prefers, with an attribute on each element that holds words. */
    html(theme: Theme, name = 'index.html'): string {
      return inTheme(withAttributes(pages[name] ?? '', texts), theme);
    },
    /** @param path below the theme */
    async file(theme: Theme, path: string): Promise<string | Uint8Array | undefined> {
      if (!assembled) return undefined;
      const { files, made } = assembled;
      const body = files.find((file) => file.path === path)?.body;
      if (body !== undefined) return inTheme(withoutMarks(String(body)), theme);
      return made.includes(path) ? readFile(join(folder, path)) : undefined;
    },
  };
}

/** A frame has the browser's theme, so both are made plain: a condition that always holds, and one that never does. */
function inTheme(text: string, theme: Theme): string {
  return (
    text
      .replaceAll('/assets/', `${PREVIEW}${theme}/assets/`)
      // The desk has a policy of its own, which allows no scripts. What's for browsers without them counts here.
      .replace(
        /<meta http-equiv="Content-Security-Policy"[^>]*>|<script[^>]*>.*?<\/script>|<\/?noscript>/gis,
        '',
      )
      .replace(/\(prefers-color-scheme:\s*(dark|light)\)/g, (_, wanted) =>
        wanted === theme ? '(min-width:0)' : '(max-width:0)',
      )
  );
}

const withoutMarks = (text: string) => text.replace(MARKS, '');

/**
 * Takes the marks out, and names each text in an attribute of the element that it's in. Never an
 * element around it, since styles and scripts count on the elements that are there.
 */
export function withAttributes(html: string, texts: readonly string[]): string {
  const pieces = html.split(/(<!--.*?-->|<(?:style|script)[^>]*>.*?<\/(?:style|script)>|<[^>]*>)/gs);
  /** The open elements, each with its place among the pieces. */
  const open: number[] = [];
  const named = new Map<number, Set<string>>();
  const note = (at: number | undefined, piece: string) => {
    for (const [, number] of piece.matchAll(/\ue001(\d+)\ue002/g)) {
      const text = texts[Number(number)];
      if (at === undefined || text === undefined) continue;
      named.set(at, (named.get(at) ?? new Set()).add(text));
    }
  };
  for (const [at, piece] of pieces.entries()) {
    if (/^<(!|style|script)/.test(piece)) continue;
    if (piece.startsWith('</')) open.pop();
    else if (!piece.startsWith('<')) note(open.at(-1), piece);
    else if (!/\/>$|^<(meta|link|input|img|br|hr|source|base)\b/.test(piece)) open.push(at);
  }
  return pieces
    .map((piece, at) => {
      const names = named.get(at);
      return names
        ? piece.replace(/^<[\w-]+/, (tag) => `${tag} data-words="${[...names].join(' ')}"`)
        : piece;
    })
    .join('')
    .replace(MARKS, '');
}
