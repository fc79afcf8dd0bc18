import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DIST, readPublished } from '../../publish/publish.ts';
import {
  DRAFT_FILE,
  faultsIn,
  HISTORY_FILE,
  type Keys,
  laidOver,
  onlyOwn,
  readOwn,
  readParts,
  valueAt,
  type Words,
  WordsError,
  writeOwn,
} from '../../publish/words.ts';
import { replaceFile } from '../../settings/replace-file.ts';
import { shortPath } from '../../settings/settings.ts';
import { type Change, changesBetween, withoutOthers, withValue } from './differences.ts';
import { type Outline, outlineOf } from './outline.ts';
import { PHOTO, photoNow, putPhoto } from './photo.ts';

/** What she typed that the page can't show. It stays hers to mend. */
export interface RefusedText {
  path: Keys;
  value: unknown;
  why: string;
}

/** What visitors don't see yet. */
interface Draft {
  /** Her words, as words.json has them. */
  own: Words;
  /** The name of a file; null shows the drawing. */
  photo: string | null;
  refused: RefusedText[];
}

/** One time that she published. */
export interface Step {
  /** In ISO 8601. */
  at: string;
  changes: Change[];
}

/** What every answer tells the editor. */
export interface DraftState {
  /** Tells one draft from another. */
  version: string;
  /** What publishing would change. */
  changes: Change[];
  refused: RefusedText[];
}

/** Everything that the editor needs beside the page. */
export interface WordsState extends DraftState {
  parts: Outline[];
  /** All of the page, by part, and the photo. */
  words: Words;
  /** The newest first. */
  steps: Step[];
}

/** How many times of publishing can be taken back. */
const MOST_STEPS = 10;

/** It can't be done as asked, and nothing was changed; the message says why. */
export class Refused extends Error {}

/** Another device was first. */
export class Meanwhile extends Refused {
  readonly now: unknown;
  constructor(now: unknown) {
    super('Meanwhile, this was changed on another device.');
    this.now = now;
  }
}

/** @param publish puts the words and the photo before visitors; returns what she should know, or throws if it can't */
export function openDraft(wordsDir: string, publish: () => Promise<string[]>, dist: string = DIST) {
  let last: Promise<unknown> = Promise.resolve();
  /** One at a time, so that no change is made on words that another one replaces. */
  function inTurn<Args extends unknown[], T>(action: (...args: Args) => Promise<T>) {
    return (...args: Args): Promise<T> => {
      const done = last.then(() => action(...args));
      last = done.catch(() => {});
      return done;
    };
  }

  async function readJson<T>(name: string, fallback: T): Promise<T> {
    const path = join(wordsDir, name);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    try {
      return text === undefined ? fallback : { ...fallback, ...JSON.parse(text) };
    } catch {
      throw new WordsError(`${shortPath(path)} can’t be read. Take it away; it isn’t on the page.`);
    }
  }

  async function read() {
    const parts = await readParts();
    const { own } = await readOwn(wordsDir);
    const saved: Draft = { own, photo: (await photoNow(wordsDir)) ?? null, refused: [] };
    const draft = await readJson(DRAFT_FILE, saved);
    const shown = (await readPublished(dist)).sources?.own ?? {};
    const before = { ...laidOver(parts, shown), [PHOTO]: saved.photo };
    const words: Words = { ...laidOver(parts, draft.own), [PHOTO]: draft.photo };
    return { parts, saved, draft, words, changes: changesBetween(parts, before, words) };
  }

  const versionOf = (draft: Draft) => createHash('sha256').update(JSON.stringify(draft)).digest('base64url');

  async function write(draft: Draft, saved: Draft): Promise<void> {
    const path = join(wordsDir, DRAFT_FILE);
    if (isDeepStrictEqual(draft, saved)) await rm(path, { force: true });
    else await replaceFile(path, JSON.stringify(draft));
  }

  const readSteps = async () => (await readJson<{ steps: Step[] }>(HISTORY_FILE, { steps: [] })).steps;

  async function brief(): Promise<DraftState> {
    const { draft, changes } = await read();
    return { version: versionOf(draft), changes, refused: draft.refused };
  }

  async function state(): Promise<WordsState> {
    const { parts, draft, words } = await read();
    const steps = (await readSteps()).toReversed();
    return { ...(await brief()), parts: outlineOf(parts, draft.own), words, steps };
  }

  /**
   * @param was what she saw there before, so that nothing that came in between is overwritten
   * @param value undefined gives back what came with the project
   */
  async function save(path: Keys, was: unknown, value: unknown): Promise<void> {
    const { parts, saved, draft, words } = await read();
    const current = valueAt(words, path);
    if (!isDeepStrictEqual(current ?? null, was ?? null)) throw new Meanwhile(current);
    const refused = draft.refused.filter((one) => !isDeepStrictEqual(one.path, path));
    if (path[0] === PHOTO) return write({ ...draft, photo: value ? String(value) : null }, saved);
    const [name, ...within] = path;
    const part = parts.get(String(name));
    if (!part) throw new Refused('The page has no such part any more. Reload this page.');
    if (refused.some((one) => isWithin(one.path, path)))
      throw new Refused('A text in this list is marked, since the page can’t show it. Mend that one first.');
    const fresh = value === undefined ? valueAt(part.ours, within) : value;
    const all = valueAt(fresh === true ? withoutOthers(words, path) : words, [String(name)]);
    const hers = onlyOwn(part.ours, withValue(all, within, fresh));
    const { [String(name)]: _, ...others } = draft.own;
    const own = hers === undefined ? others : { ...others, [String(name)]: hers };
    const known = faultsIn(parts, draft.own).map((fault) => JSON.stringify(fault));
    const fault = faultsIn(parts, own).find((one) => !known.includes(JSON.stringify(one)));
    if (fault) throw new Refused(`This ${fault.problem.replace(/, but is .*/s, '')}.`);
    await write({ ...draft, own, refused }, saved);
  }

  /** Keeps a text that was refused, so that leaving the page doesn't lose it. */
  async function mark(text: RefusedText): Promise<void> {
    const { draft, saved } = await read();
    const others = draft.refused.filter((one) => !isDeepStrictEqual(one.path, text.path));
    await write({ ...draft, refused: [...others, text] }, saved);
  }

  /**
   * Puts the draft before visitors. Returns what she should know about the page.
   *
   * @param seen the version that she has looked at
   * @param now the time of the step
   */
  async function publishDraft(seen: string, now: Date): Promise<string[]> {
    const { draft, saved, changes } = await read();
    if (versionOf(draft) !== seen)
      throw new Refused('Meanwhile, the draft was changed on another device. Look through the list again.');
    const notes = await put(draft, saved)
      .then(publish)
      .catch(async (error: unknown) => {
        await put(saved, draft);
        throw error;
      });
    const steps = [...(await readSteps()), { at: now.toISOString(), changes }].slice(-MOST_STEPS);
    if (changes.length > 0) await replaceFile(join(wordsDir, HISTORY_FILE), JSON.stringify({ steps }));
    await write(draft, { ...draft, refused: [] });
    return notes;
  }

  async function put(next: Draft, before: Draft): Promise<void> {
    if (!isDeepStrictEqual(next.own, before.own)) await writeOwn(wordsDir, next.own);
    if (next.photo !== before.photo) await putPhoto(wordsDir, next.photo);
  }

  return {
    brief: inTurn(brief),
    state: inTurn(state),
    /** Her words and photo as they'd be published. */
    read: inTurn(async () => (await read()).draft),
    valueOf: inTurn(async (path: Keys) => valueAt((await read()).words, path)),
    save: inTurn(save),
    mark: inTurn(mark),
    publish: inTurn(publishDraft),
    throwAway: inTurn(async () => rm(join(wordsDir, DRAFT_FILE), { force: true })),
  };
}

/** Whether a path leads into what's at another. */
const isWithin = (path: Keys, of: Keys) =>
  path.length > of.length && isDeepStrictEqual(path.slice(0, of.length), of);
