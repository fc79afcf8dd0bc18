import { isDeepStrictEqual } from 'node:util';
import { DIST, readPublished } from '../../publish/publish.ts';
import {
  faultsIn,
  type Keys,
  layOver,
  onlyOwn,
  readOwn,
  readParts,
  valueAt,
  type Words,
  writeOwn,
} from '../../publish/words.ts';
import {
  copyOf,
  type Difference,
  differences,
  inWords,
  leaves,
  nameOf,
  withoutOthers,
  withValue,
} from './differences.ts';
import {
  afterCrash,
  type History,
  isAt,
  PHOTO,
  readHistory,
  withChange,
  withPart,
  writeHistory,
} from './history.ts';
import { type Outline, outlineOf, seenOf } from './outline.ts';
import { isKept, photoNow, putPhoto } from './photo.ts';

/** Everything that the editor shows beside the page. */
export interface WordsState {
  parts: Outline[];
  photo: boolean;
  /** What each of the two would take back or make again. */
  undo: string | undefined;
  redo: string | undefined;
  /** What the published page doesn't have. */
  unpublished: Difference[];
  /** What came with the project has changed since she changed it: `other` is the new one. */
  updated: Difference[];
}

/** What can be done with an entry of a list. */
export type Arrangement = 'add' | 'remove' | 'up' | 'down';

/** It can't be done as asked, and nothing was changed; the message says why. */
export class Refused extends Error {
  readonly path: Keys | undefined;
  /** @param path the field that it's about */
  constructor(message: string, path?: Keys) {
    super(message);
    this.path = path;
  }
}

/** @param show renders the page with these words, and throws if it can't */
export function openOwnWords(wordsDir: string, show: (own: Words) => Promise<void>, dist: string = DIST) {
  let last: Promise<unknown> = Promise.resolve();
  /** One at a time, so that no change is made on words that another one replaces. */
  function inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = last.then(action, action);
    last = done.catch(() => {});
    return done;
  }

  async function read() {
    const { own } = await readOwn(wordsDir);
    const parts = await readParts();
    const photo = await photoNow(wordsDir);
    const history = afterCrash(await readHistory(wordsDir), (part) => (part === PHOTO ? photo : own[part]));
    return { own, parts, photo, history };
  }

  async function state(): Promise<WordsState> {
    const { own, parts, photo, history } = await read();
    const { sources } = await readPublished(dist);
    const ours = Object.fromEntries([...parts].map(([name, part]) => [name, part.ours]));
    const words = layOver(ours, own);
    const updated = leaves(own).filter(
      ({ path: [...path] }) =>
        path.join('.') in history.shipped &&
        !isDeepStrictEqual(history.shipped[path.join('.')], valueAt(ours, path)),
    );
    return {
      parts: outlineOf(parts, own),
      photo: photo !== undefined,
      undo: history.changes[history.done - 1]?.what,
      redo: history.changes[history.done]?.what,
      unpublished: differences(layOver(ours, sources?.own ?? {}), words).map((one) => ({
        ...one,
        what: nameOf(parts, words, one.path),
      })),
      updated: updated.map(({ path, now }) => ({
        path,
        now,
        other: valueAt(ours, path),
        what: nameOf(parts, words, path),
      })),
    };
  }

  /** Checks and shows the words with one part changed, then keeps them, with the history first. */
  async function keep(
    next: Words,
    history: History,
    { parts, own }: Awaited<ReturnType<typeof read>>,
  ): Promise<void> {
    const before = new Set(faultsIn(parts, own).map((fault) => JSON.stringify(fault)));
    const fault = faultsIn(parts, next).find((one) => !before.has(JSON.stringify(one)));
    if (fault) throw new Refused(`This ${fault.problem.replace(/, but is .*/s, '')}.`, fault.path);
    try {
      await show(next);
    } catch (error) {
      await show(own);
      throw new Refused(`The page can’t show this: ${error instanceof Error ? error.message : error}`);
    }
    const shipped = leaves(next).map(({ path }) => {
      const key = path.join('.');
      return [
        key,
        key in history.shipped
          ? history.shipped[key]
          : (valueAt(parts.get(String(path[0]))?.ours, path.slice(1)) ?? null),
      ];
    });
    await writeHistory(wordsDir, { ...history, shipped: Object.fromEntries(shipped) });
    await writeOwn(wordsDir, next);
  }

  /**
   * @param was what she saw there before, so that nothing that came in between is overwritten
   * @param value undefined gives back what came with the project
   */
  async function save(path: Keys, was: unknown, value: unknown): Promise<void> {
    const now = await read();
    const [part = '', ...within] = path;
    const shape = now.parts.get(String(part));
    if (!shape) throw new Refused('The page has no such part any more. Reload this page.');
    const words = layOver(shape.ours, now.own[part]);
    const current = valueAt(words, within);
    if (!isDeepStrictEqual(current, was))
      throw new Refused(`Meanwhile it was changed elsewhere. It’s now: ${inWords(current)}`, path);
    const fresh = value === undefined ? valueAt(shape.ours, within) : value;
    if (isDeepStrictEqual(current, fresh)) return;
    const only = fresh === true ? withoutOthers(words, within) : words;
    await change(now, path, withValue(only, within, fresh));
  }

  /**
   * Adds a copy of an entry after it, takes an entry out, or moves it.
   *
   * @param seen the list's `seen` as she saw it
   */
  async function arrange(path: Keys, seen: string, at: number, how: Arrangement): Promise<void> {
    const now = await read();
    const [part = '', ...within] = path;
    const words = layOver(now.parts.get(String(part))?.ours, now.own[part]);
    const entries = valueAt(words, within);
    if (!Array.isArray(entries) || seenOf(entries) !== seen)
      throw new Refused('Meanwhile this list was changed elsewhere. Here it is as it’s now.', path);
    const list = [...entries];
    const [entry] = list.splice(at, 1);
    if (how === 'add') list.splice(at, 0, entry, copyOf(entry));
    else if (how !== 'remove') list.splice(how === 'up' ? at - 1 : at + 1, 0, entry);
    await change(now, path, withValue(words, within, list));
  }

  /** @param words those of the part, as they should be */
  async function change(now: Awaited<ReturnType<typeof read>>, path: Keys, words: unknown): Promise<void> {
    const part = String(path[0]);
    const ours = now.parts.get(part)?.ours;
    const before = now.own[part];
    const what = nameOf(now.parts, { ...now.own, [part]: layOver(ours, before) }, path);
    const after = onlyOwn(ours, words);
    await keep(withPart(now.own, part, after), withChange(now.history, { what, part, before, after }), now);
  }

  /** Takes the last change back, or makes it again. */
  async function step(by: -1 | 1): Promise<void> {
    const now = await read();
    const { changes, done } = now.history;
    const change = changes[by < 0 ? done - 1 : done];
    if (!change) throw new Refused(by < 0 ? 'There’s nothing to undo.' : 'There’s nothing to redo.');
    const [from, to] = by < 0 ? [change.after, change.before] : [change.before, change.after];
    const history = { ...now.history, done: done + by };
    if (!isAt(from, change.part === PHOTO ? now.photo : now.own[change.part]))
      throw new Refused(
        `“${change.what}” was changed outside of this page since, so this step would undo that, too.`,
      );
    if (change.part === PHOTO && typeof to === 'string' && !isKept(wordsDir, to))
      throw new Refused('That photo isn’t here any more: a backup keeps only the one that’s shown.');
    if (change.part !== PHOTO) return keep(withPart(now.own, change.part, to), history, now);
    await writeHistory(wordsDir, history);
    await putPhoto(wordsDir, typeof to === 'string' ? to : undefined);
    await show(now.own);
  }

  /** @param name of a file in `earlier-photos`; undefined shows the drawing again */
  async function setPhoto(name: string | undefined): Promise<void> {
    const now = await read();
    if (now.photo === name) return;
    const change = { what: 'Your photo', part: PHOTO, before: now.photo, after: name };
    await writeHistory(wordsDir, withChange(now.history, change));
    await putPhoto(wordsDir, name);
    await show(now.own);
  }

  return {
    state: () => inTurn(state),
    valueOf: async ([part = '', ...within]: Keys) => {
      const { own, parts } = await read();
      return valueAt(layOver(parts.get(String(part))?.ours, own[part]), within);
    },
    /** Shows what's on disk, which may have been changed by hand. */
    refresh: () => inTurn(async () => show((await readOwn(wordsDir)).own)),
    save: (path: Keys, was: unknown, value: unknown) => inTurn(() => save(path, was, value)),
    arrange: (...how: Parameters<typeof arrange>) => inTurn(() => arrange(...how)),
    undo: () => inTurn(() => step(-1)),
    redo: () => inTurn(() => step(1)),
    setPhoto: (name: string | undefined) => inTurn(() => setPhoto(name)),
  };
}
