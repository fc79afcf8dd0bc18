import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openProgram } from '../../publish/program.ts';
import { DIST, dressed, readPublished, shownOf } from '../../publish/publish.ts';
import type { Words } from '../../publish/words.ts';
import type { Settings } from '../../settings/settings.ts';
import { withValue } from './differences.ts';
import type { Field } from './outline.ts';

const MARKS = /\ue001\d+\ue002|\ue003/g;

/** Words and fields of a draft, with what tells it from others. */
interface Shown {
  version: string;
  words: Words;
  fields: readonly Field[];
  draft: { photo: string | null };
}

/** @param base where the desk shows the files of these pages */
export function openPreview(settings: () => Settings, base: string) {
  /**
   * The pages with a draft, and pictures and fonts of the published ones. Before and after each text is a mark: U+E001,
   * its number among the fields, U+E002, the text, U+E003.
   */
  async function render({ words: all, fields, draft: { photo } }: Shown) {
    let words: unknown = all;
    for (const [at, field] of fields.entries()) {
      if (field.kind === 'text' && field.isShown)
        words = withValue(words, field.path, `\ue001${at}\ue002${field.value}\ue003`);
    }
    // Those that are off are written before they're turned on.
    for (const page of ['terms', 'privacy']) words = withValue(words, [page, 'on'], true);
    const program = await openProgram();
    const renderer = program.render(words as Words);
    const shown = shownOf(settings());
    const { letters = '' } = await readPublished();
    const { assets, files } = dressed({ program, renderer, shown, photo: undefined }, letters);
    const founderPhoto = photo ? { src: `/photos/${photo}`, width: 416, height: 520 } : null;
    const pages = await renderer.renderPages({ ...assets, founderPhoto });
    return {
      page: (path: string) => pages[path]?.replace(/"\/(assets|photos)\//g, `"${base}/$1/`),
      /** @param path of one that the pages name, such as `/assets/later.css` */
      async file(path: string): Promise<string | Uint8Array> {
        const body = files.find((file) => `/${file.path}` === path)?.body;
        if (body === undefined) return readFile(join(DIST, 'assets', basename(path)));
        return String(body).replace(MARKS, '').replaceAll('/assets/', `${base}/assets/`);
      },
    };
  }

  let last: { version: string; rendered: ReturnType<typeof render> } | undefined;
  /** @throws an Error if the page can't be rendered with these words */
  return (of: Shown) => {
    if (last?.version === of.version) return last.rendered;
    const rendered = render(of);
    last = { version: of.version, rendered };
    // What was missing may be there the next time.
    rendered.catch(() => {
      last = undefined;
    });
    return rendered;
  };
}
