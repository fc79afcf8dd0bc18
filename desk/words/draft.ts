import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DIST, readPublished } from '../../publish/publish.ts';
import {
  faultsIn,
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
import { type Change, differences, withoutOthers, withValue } from './differences.ts';
import { type Field, fieldsOf } from './outline.ts';
import { photoNow, putPhoto } from './photo.ts';

/** Her photo among the words: its name, or null for the drawing. */
export const PHOTO = ['photo'];

/** What she typed that isn't in the draft's words. It stays hers to mend. */
export interface Refusal {
  path: Keys;
  value: unknown;
  why: string;
  /** Another device was first, so it's hers to choose. */
  isLater?: true;
}

/** What visitors don't see yet. */
interface Draft {
  /** Her words, as words.json has them. */
  own: Words;
  photo: string | null;
  refused: Refusal[];
}

/** One time that she published. */
export interface Step {
  /** In ISO 8601. */
  at: string;
  changes: Change[];
}

/** A field as the draft has it. */
export type DraftField = Field & { refused?: Refusal };

/** Beside words.json. */
const DRAFT_FILE = 'draft.json';
const HISTORY_FILE = 'history.json';

/** How many times of publishing can be taken back. */
const MOST_STEPS = 10;

/** It can't be done as asked, and nothing was changed; the message says why. */
export class Refused extends Error {}

/** @param publish puts words and photo before visitors; returns what she should know, or throws if it can't */
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
    const saved: Draft = { own, photo: await photoNow(wordsDir), refused: [] };
    const draft = await readJson(DRAFT_FILE, saved);
    const words: Words = { ...laidOver(parts, draft.own), photo: draft.photo };
    const fields: DraftField[] = fieldsOf(parts, words);
    const help = 'Choose it here, or drop it on the page.';
    const title = 'Your photo';
    fields.push({ kind: 'photo', path: PHOTO, title, label: title, help, value: draft.photo, ours: null });
    const fieldAt = (path: Keys) => fields.find((field) => isDeepStrictEqual(field.path, path));
    for (const one of draft.refused) Object.assign(fieldAt(one.path) ?? {}, { refused: one });
    const shown = (await readPublished(dist)).sources?.own ?? {};
    const changes: Change[] = differences({ ...laidOver(parts, shown), photo: saved.photo }, words).map(
      (one) => ({ ...one, what: fieldAt(one.path)?.label ?? one.path.join(' → ') }),
    );
    const { steps } = await readJson<{ steps: Step[] }>(HISTORY_FILE, { steps: [] });
    const version = createHash('sha256').update(JSON.stringify(draft)).digest('base64url');
    return { parts, saved, draft, words, fields, changes, steps, version };
  }

  async function write(draft: Draft, saved: Draft): Promise<void> {
    const path = join(wordsDir, DRAFT_FILE);
    if (isDeepStrictEqual(draft, saved)) await rm(path, { force: true });
    else await replaceFile(path, JSON.stringify(draft));
  }

  /**
   * Keeps a text, a number, a choice, a list or the photo. A text or number that the page can't show, or that another
   * device was first with, is kept apart, with the reason.
   *
   * @param was what she saw there before, so that nothing that came in between is overwritten
   * @param value undefined gives back what came with the project
   * @throws Refused for anything else that can't be kept
   */
  async function save(path: Keys, was: unknown, value: unknown): Promise<void> {
    const { parts, saved, draft, words } = await read();
    const [name = '', ...within] = path;
    const refused = draft.refused.filter((one) => !isDeepStrictEqual(one.path, path));
    function keepApart(why: string, more: Pick<Refusal, 'isLater'> = {}) {
      if (typeof value !== 'string' && typeof value !== 'number') throw new Refused(why);
      return write({ ...draft, refused: [...refused, { path, value, why, ...more }] }, saved);
    }

    const current = valueAt(words, path);
    if (!isDeepStrictEqual(current ?? null, was ?? null) && !isDeepStrictEqual(current, value))
      return keepApart(
        Array.isArray(current)
          ? 'Meanwhile, this list was changed on another device. Here it is; do it again.'
          : `On another device, this is now “${current}”.`,
        { isLater: true },
      );
    if (isDeepStrictEqual(path, PHOTO))
      return write({ ...draft, photo: value ? String(value) : null }, saved);
    const part = parts.get(String(name));
    if (!part) throw new Refused('The page has no such part any more. Reload this page.');
    if (refused.some((one) => isDeepStrictEqual(one.path.slice(0, path.length), path)))
      throw new Refused('A text in this list is marked, since the page can’t show it. Mend that one first.');
    const fresh = value === undefined ? valueAt(part.ours, within) : value;
    const all = valueAt(fresh === true ? withoutOthers(words, path) : words, [name]);
    const { [name]: _, ...others } = draft.own;
    const hers = onlyOwn(part.ours, withValue(all, within, fresh));
    const own = hers === undefined ? others : { ...others, [name]: hers };
    const known = faultsIn(parts, draft.own).map((fault) => JSON.stringify(fault));
    const fault = faultsIn(parts, own).find((one) => !known.includes(JSON.stringify(one)));
    return fault
      ? keepApart(`This ${fault.problem.replace(/, but is .*/s, '')}.`)
      : write({ ...draft, own, refused }, saved);
  }

  /**
   * Puts the draft before visitors. Returns what she should know about the page.
   *
   * @param seen the version that she has looked through
   * @param now the time of the step
   */
  async function publishDraft(seen: string, now: Date): Promise<string[]> {
    const { draft, saved, changes, steps, version } = await read();
    if (version !== seen)
      throw new Refused('Meanwhile, the draft was changed on another device. Look through the list again.');
    const notes = await put(draft, saved)
      .then(publish)
      .catch(async (error: unknown) => {
        await put(saved, draft);
        throw error;
      });
    const all = [...steps, { at: now.toISOString(), changes }].slice(-MOST_STEPS);
    if (changes.length > 0) await replaceFile(join(wordsDir, HISTORY_FILE), JSON.stringify({ steps: all }));
    await write(draft, { ...draft, refused: [] });
    return notes;
  }

  async function put(next: Draft, before: Draft): Promise<void> {
    if (!isDeepStrictEqual(next.own, before.own)) await writeOwn(wordsDir, next.own);
    if (next.photo !== before.photo) await putPhoto(wordsDir, next.photo);
  }

  return {
    read: inTurn(read),
    save: inTurn(save),
    publish: inTurn(publishDraft),
    throwAway: inTurn(() => rm(join(wordsDir, DRAFT_FILE), { force: true })),
  };
}
