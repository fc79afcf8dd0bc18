import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openProgram } from '../../publish/program.ts';
import { around, DIST, NOTHING, readPublished, shownOf } from '../../publish/publish.ts';
import { layOver, readParts, type Words } from '../../publish/words.ts';
import type { Settings } from '../../settings/settings.ts';
import { withMarks } from './outline.ts';
import { readKept } from './photo.ts';

/** The pages that she can look at, with what she calls them. */
const PAGES = {
  'index.html': 'Your page',
  'terms/index.html': 'Terms',
  'privacy/index.html': 'Privacy',
  '404.html': 'Page not found',
  'message-not-sent.html': 'Message not sent',
};

/** @param base where the desk shows the words */
export async function openPreview(settings: Settings, base: string) {
  const program = await openProgram();
  const shown = shownOf(settings);

  /**
   * The pages with a draft, pictures and fonts of the published ones, and a mark before and after each text: U+E001, its
   * number among the paths in the attribute `data-texts` of <html>, U+E002, the text, U+E003.
   */
  async function render(own: Words, photo: string | null) {
    const texts: string[] = [];
    const parts = [...(await readParts())].map(([name, { shape, ours }]) => {
      const words = layOver(ours, own[name]);
      // Those that are off are written before they're turned on.
      const shownWords = name === 'terms' || name === 'privacy' ? { ...Object(words), on: true } : words;
      const mark = (text: string, path: readonly (string | number)[]) =>
        `\ue001${texts.push(path.join('.')) - 1}\ue002${text}\ue003`;
      return [name, withMarks(shape, shownWords, [name], mark)];
    });
    const renderer = program.render(Object.fromEntries(parts));
    const { made = NOTHING } = await readPublished();
    const { assets, laterWith, drawn, legal } = around({ program, renderer, shown });
    const portrait = photo && { src: `/photos/${photo}`, width: 416, height: 520, sources: [] };
    const pages = await renderer.renderPages({ ...assets(made), founderPhoto: portrait || null });
    const places = Object.entries(renderer.renderPlaces());
    return {
      /** What each {place} says now. */
      places: Object.fromEntries(places.map(([name, text]) => [name, text.replace(MARKS, '')])),
      page: (name: string) =>
        pages[name]
          ?.replace('<html', `<html data-texts="${texts.join(' ')}"`)
          .replaceAll(/"\/(assets|photos)\//g, `"${base}/page/$1/`),
      file: (path: string) =>
        [laterWith(made), legal, ...drawn.files]
          .find((file) => file.path === path)
          ?.body.toString()
          .replace(MARKS, '')
          .replaceAll('/assets/', `${base}/page/assets/`),
    };
  }

  let last: { key: string; rendered: ReturnType<typeof render> } | undefined;
  return {
    pages: PAGES,
    /** @throws an Error if the page can't be rendered with these words */
    render(own: Words, photo: string | null) {
      const key = JSON.stringify([own, photo]);
      if (last?.key !== key) last = { key, rendered: render(own, photo) };
      return last.rendered;
    },
    /** A file of the published page. */
    published: (path: string) => readFile(join(DIST, 'assets', basename(path))).catch(() => undefined),
    photo: (name: string) => readKept(settings.wordsDir, name).catch(() => undefined),
  };
}

const MARKS = /\ue001\d+\ue002|\ue003/g;
