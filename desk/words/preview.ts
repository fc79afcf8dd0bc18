import { createServer, type EnvironmentModuleNode, type Plugin, type ViteDevServer } from 'vite';
import { assemble, type Renderer, type Styles } from '../../build/assemble.ts';
import { contentFile, layOver, type Part, readOwn, readParts, type Words } from '../../build/owners-words.ts';
import { isFirst, RENDER_ENTRY, viteConfig } from '../../build/vite.ts';
import type { Settings } from '../../settings/settings.ts';
import type * as PageWords from '../../site/ui/words.ts';
import { mapTexts, markable } from './outline.ts';

/** Where the page of the preview is, without the theme that follows. */
export const PREVIEW = '/words/page/';
export type Theme = 'light' | 'dark';

/** Before and after each text while it's rendered. The number between the first two names the text. */
const OPEN = '\ue001';
const NAMED = '\ue002';
const CLOSE = '\ue003';
const MARKS = /\ue001\d+\ue002|\ue003/g;

type Assembled = Omit<Awaited<ReturnType<typeof assemble>>, 'pages'>;

/** The page with words that aren't built yet. It has a Vite of its own, which the browser never reaches. */
export async function openPreview(settings: Settings) {
  let parts = await readParts();
  let { own } = await readOwn(settings.wordsDir);
  /** The texts of the page by the numbers in their marks. */
  let texts: string[] = [];

  const marked: Plugin = {
    name: 'marked-words',
    enforce: 'pre',
    load(id) {
      const file = contentFile(id);
      if (!file) return null;
      return [...parts]
        .filter(([, part]) => part.file === file)
        .map(([name, part]) => `export const ${name} = ${JSON.stringify(withMarks(name, part))};`)
        .join('\n');
    },
  };

  function withMarks(name: string, { shape, ours }: Part): unknown {
    return mapTexts(shape, layOver(ours, own[name]), [name], (schema, text, path) => {
      if (!markable(schema, text, OPEN)) return text;
      return `${OPEN}${texts.push(path.join('.')) - 1}${NAMED}${text}${CLOSE}`;
    });
  }

  const config = viteConfig(settings);
  const vite = await createServer({
    ...config,
    plugins: [marked, ...config.plugins],
    appType: 'custom',
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, watch: null, hmr: false, ws: false },
  });

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
    parts = await readParts();
    own = words;
    texts = [];
    const { moduleGraph } = vite.environments.ssr;
    for (const [id, module] of moduleGraph.idToModuleMap)
      if (contentFile(id)) moduleGraph.invalidateModule(module);
    renderer = (await vite.ssrLoadModule(`/${RENDER_ENTRY}`)) as Renderer;
    if (assembled) pages = await renderer.renderPages(assembled.assets);
  }

  /** Makes the pictures and glyphs for the words, too, which takes longer than the words alone. */
  async function whole(): Promise<void> {
    if (madeFor === own) return;
    madeFor = own;
    const of = renderer;
    const bare: Renderer = {
      ...of,
      renderPages: async (assets) => withoutMarks(await of.renderPages(assets)),
    };
    const { pages: _, ...made } = await assemble(bare, settings, await loadStyles(vite), '/none.js');
    assembled = made;
    pages = await renderer.renderPages(assembled.assets);
  }

  await show(own);
  await whole();
  return {
    show,
    whole,
    /** What each {place} says now. */
    async places(): Promise<Record<string, string>> {
      const { figures } = (await vite.ssrLoadModule('/site/ui/words.ts')) as typeof PageWords;
      return withoutMarks(figures);
    },
    /** The page in a theme, whatever the browser prefers, with an attribute on each element that holds words. */
    html(theme: Theme, name = 'index.html'): string {
      return inTheme(withAttributes(pages[name] ?? '', texts), theme);
    },
    /** @param path below the theme */
    file(theme: Theme, path: string): string | Uint8Array | undefined {
      const body = assembled?.files.find((file) => file.path === path)?.body;
      if (body === undefined || !/\.(css|svg)$/.test(path)) return body;
      return inTheme(withoutMarks({ body: String(body) }).body ?? '', theme);
    },
    close: () => vite.close(),
  };
}

/** The page's styles as Vite compiles them, those of the first view first. */
async function loadStyles(vite: ViteDevServer): Promise<Styles> {
  const modules = new Set<EnvironmentModuleNode>();
  const collect = (module: EnvironmentModuleNode | undefined) => {
    if (!module || modules.has(module)) return;
    modules.add(module);
    module.importedModules.forEach(collect);
  };
  collect(await vite.environments.ssr.moduleGraph.getModuleByUrl(`/${RENDER_ENTRY}`));
  const sheets = [...modules].map(({ id }) => id ?? '').filter((id) => id.endsWith('.css'));
  sheets.sort((one, other) => Number(isFirst(other)) - Number(isFirst(one)));
  const compiled = await Promise.all(
    sheets.map((id) => vite.environments.client.transformRequest(`${id}?direct`)),
  );
  return { first: compiled.map((sheet) => sheet?.code ?? '').join('\n'), later: '' };
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

function withoutMarks(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.replace(MARKS, '')]));
}

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
