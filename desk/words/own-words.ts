import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { entryTitle, faultsIn } from '../../build/check-words.ts';
import {
  isGroup,
  type Keys,
  layOver,
  onlyOwn,
  type Part,
  readOwn,
  readParts,
  valueAt,
  type Words,
  writeOwn,
} from '../../build/owners-words.ts';
import { BUILT_WORDS, DIST } from '../../build/stale.ts';
import { titleOf } from '../../site/ui/shape.ts';
import {
  afterCrash,
  type Change,
  type History,
  isAt,
  PHOTO,
  readHistory,
  withChange,
  withPart,
  writeHistory,
} from './history.ts';
import { type Outline, outlineOf } from './outline.ts';
import { photoNow, putPhoto } from './photo.ts';

/** A text that differs from another version of the words. */
export interface Difference {
  path: Keys;
  what: string;
  now: unknown;
  other: unknown;
}

/** Everything that the editor shows beside the page. */
export interface WordsState {
  parts: Outline[];
  photo: boolean;
  undo?: string;
  redo?: string;
  /** What the page that was last built doesn't have. */
  unbuilt: Difference[];
  /** What came with the project has changed since she changed it: `other` is the new one. */
  updated: Difference[];
}

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
  function inTurn<T>(deed: () => Promise<T>): Promise<T> {
    const done = last.then(deed, deed);
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
    const built = await readFile(join(dist, BUILT_WORDS), 'utf8').catch(() => '{}');
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
      unbuilt: differences(layOver(ours, JSON.parse(built) as Words), words).map((one) => ({
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
    const after = onlyOwn(shape.ours, withValue(words, within, fresh));
    const change: Change = {
      what: nameOf(now.parts, { ...now.own, [part]: words }, path),
      part: String(part),
      before: now.own[part],
      after,
    };
    await keep(withPart(now.own, change.part, after), withChange(now.history, change), now);
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
    save: (path: Keys, was: unknown, value: unknown) => inTurn(() => save(path, was, value)),
    undo: () => inTurn(() => step(-1)),
    redo: () => inTurn(() => step(1)),
    setPhoto: (name: string | undefined) => inTurn(() => setPhoto(name)),
  };
}

function withValue(words: unknown, [key, ...rest]: Keys, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(words)) return words.map((one, at) => (at === key ? withValue(one, rest, value) : one));
  return { ...Object(words), [key]: withValue(valueAt(words, [key]), rest, value) };
}

/** Everything in the owner's words that isn't a group. */
function leaves(own: unknown, path: Keys = []): { path: Keys; now: unknown }[] {
  if (!isGroup(own)) return [{ path, now: own }];
  return Object.entries(own).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

/** Where two versions of the words differ; lists of the same length entry by entry. */
function differences(
  other: unknown,
  now: unknown,
  path: Keys = [],
): { path: Keys; now: unknown; other: unknown }[] {
  if (isDeepStrictEqual(other, now)) return [];
  const isPair = isGroup(other) && isGroup(now);
  const areLists = Array.isArray(other) && Array.isArray(now) && other.length === now.length;
  if (!isPair && !areLists) return [{ path, now, other }];
  const keys = areLists
    ? [...now.keys()]
    : [...new Set([...Object.keys(Object(other)), ...Object.keys(Object(now))])];
  return keys.flatMap((key) => differences(valueAt(other, [key]), valueAt(now, [key]), [...path, key]));
}

/** “Packages: The Foundation Blueprint: Price” */
function nameOf(parts: ReadonlyMap<string, Part>, words: Words, path: Keys): string {
  const names: string[] = [];
  let schema: unknown = parts.get(String(path[0]))?.shape;
  for (const [at, key] of path.entries()) {
    if (at > 0)
      schema =
        valueAt(schema, ['entries', key]) ?? valueAt(schema, ['items', key]) ?? valueAt(schema, ['item']);
    while (valueAt(schema, ['wrapped'])) schema = valueAt(schema, ['wrapped']);
    const entry = entryTitle(valueAt(words, path.slice(0, at + 1)));
    names.push(
      typeof key === 'number'
        ? (entry ?? String(key + 1))
        : schema
          ? titleOf(key, schema as Part['shape'])
          : key,
    );
  }
  return names.join(': ');
}

function inWords(value: unknown): string {
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
}
