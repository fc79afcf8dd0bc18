import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DIST, readPublished } from '../../publish/publish.ts';
import {
  faultsIn,
  founderFiles,
  hasRoomFor,
  laidOver,
  MOST_BYTES,
  onlyOwn,
  readOwn,
  readParts,
  readText,
  valueAt,
  WORDS_FILE,
  type Words,
  WordsError,
  writeOwn,
} from '../../publish/words.ts';
import { replaceFile } from '../../server/files.ts';
import { shortPath } from '../../settings/settings.ts';
import { Failed } from '../command/command.ts';
import { type Change, changesSince, type Field, fieldsOf, withValue } from './outline.ts';
import { founderFile, photoNow, putPhoto, readKept } from './photo.ts';
import { isTaken, placeInList } from './values.ts';

/** What she typed, chose or arranged last in a field. */
export interface Entry {
  key: string;
  value: unknown;
  /** Why it isn't in the draft's words. It's hers to fix. */
  why?: string;
  /** Another device was first, so she has to choose. */
  isLater?: true;
  /** Another entry of its list is in this place now. */
  isMoved?: true;
}

/** What a device sends about a field. */
export interface Sent extends Pick<Entry, 'key' | 'value'> {
  /** What she saw there before, so that nothing that came in between is overwritten. */
  was: unknown;
  /** What was kept apart there, as she saw it. */
  apart?: unknown;
  /** The same, if she chose this in its place. */
  mine?: unknown;
  /** What this device sent before, without knowing whether it was kept. */
  tried?: unknown[];
  /** The names in the list around it, as she saw them: its place may be another entry's by now. */
  names?: unknown[] | undefined;
  /** Which open page sent it, and its number among that page's requests: one that a later one has overtaken is ignored. */
  from?: string;
  nth?: number;
}

/** What visitors see, or will. The photo is one of those that are kept, or null for the drawing. */
type Shown = { own: Words; photo: string | null };

export interface Step {
  /** In ISO 8601. */
  at: string;
  changes: Change[];
}

export type DraftField = Field & { refused: Entry | undefined };

const DRAFT_FILE = 'draft.json';
const HISTORY_FILE = 'history.json';

/** Where her photo's name goes among the words, though it isn't one. */
const PHOTO = 'founder.picture';

const MOST_STEPS = 10;

export type Drafts = ReturnType<typeof openDraft>;

/** @param publish shows words and photo to visitors, or throws if it can't */
export function openDraft(wordsDir: string, publish: () => Promise<void>, dist: string = DIST) {
  let last: Promise<unknown> = Promise.resolve();
  const latest = new Map<string, number>();
  /** The states that were read, in their order. Another server's are another's. */
  const order = { of: Math.random(), nth: 0 };
  /** One at a time, so that no change builds on words that another one replaces. */
  function inTurn<Args extends unknown[], T>(action: (...args: Args) => Promise<T>) {
    return (...args: Args): Promise<T> => {
      const done = last.then(() => action(...args));
      last = done.catch(() => {});
      return done;
    };
  }

  async function readList<T>(name: string, of: string): Promise<T[]> {
    const path = join(wordsDir, name);
    const text = await readText(path, 'draft');
    const found = await Promise.try(() => (text ? JSON.parse(text) : { [of]: [] })).catch(() => undefined);
    if (Array.isArray(found?.[of])) return found[of];
    // Version 0.4's steps can no longer be undone.
    if (Array.isArray(found?.changes)) return [];
    throw new WordsError(`${shortPath(path)} can’t be read. Move it away, and the desk works without it.`);
  }

  async function read() {
    const parts = await readParts();
    const { own } = await readOwn(wordsDir);
    const saved: Shown = { own, photo: await photoNow(wordsDir) };
    const entries = await readList<Entry>(DRAFT_FILE, 'entries');
    const draft = { ...withEntries(parts, saved, entries), entries };
    const words = wordsOf(parts, draft);
    const fields = fieldsWithPhoto(parts, words).map((field): DraftField => {
      const refused = entries.findLast(({ key, why }) => key === field.key && why);
      if (refused?.isLater) refused.why = isNow(field.value);
      return { ...field, refused };
    });
    const { sources } = await readPublished(dist);
    const changes = changesSince(wordsOf(parts, { ...saved, own: sources?.own ?? {} }), fields);
    const steps = await readList<Step>(HISTORY_FILE, 'steps');
    // The preview uses the published fonts, too.
    const version = hash('sha256', JSON.stringify([draft, sources]), 'base64url');
    order.nth += 1;
    return { parts, saved, draft, words, fields, changes, steps, version, order: { ...order } };
  }

  /** @throws Failed if it couldn't be read again */
  async function write(entries: readonly Entry[], own: Words, label = 'this'): Promise<void> {
    const path = join(wordsDir, DRAFT_FILE);
    const text = JSON.stringify({ entries });
    if (Buffer.byteLength(text) > MOST_BYTES.draft || !hasRoomFor(own))
      throw new Failed(`There’s no room in your draft for “${label}”, so it’s unchanged. Make it shorter.`);
    if (entries.length === 0) await rm(path, { force: true });
    else await replaceFile(path, text);
  }

  /**
   * Keeps what she put in a field. A text or number that the page can't show, or where another device was first, is
   * kept apart, with the reason; anything else that can't be kept changes nothing, and throws Failed.
   */
  async function save({ key, was, value, apart, mine = value, tried = [], names, from, nth = 0 }: Sent) {
    const sender = `${from} ${key}`;
    if (from && nth < (latest.get(sender) ?? 0)) return;
    if (from) latest.set(sender, nth);
    const { parts, saved, draft, words, fields } = await read();
    const field = fields.find((one) => one.key === key);
    const typed = typeof value === 'string' ? ` What you typed: “${value}”` : '';
    if (!field) throw new Failed(`This isn’t there any more.${typed}`);
    // What she chose is gone. Saving nothing would bring back ours.
    if (value === undefined) throw new Failed('This has changed in the meantime. Look at it again.');
    if (key === PHOTO && value) await readKept(wordsDir, String(value));
    const [list, at] = placeInList(key);
    // A name itself is recognized by what it was.
    const isMoved =
      names && names[at] !== was && isTaken(at, names, valueAt(words, list.split('.')) as unknown[]);
    const isAsSeen = !isMoved && [was, value, ...tried].some((one) => isDeepStrictEqual(field.value, one));
    if (!isAsSeen && (field.kind === 'list' || typeof value === 'boolean'))
      throw new Failed('This list has changed in the meantime. Check it, then try again.');
    const { refused } = field;
    const isChosen = isDeepStrictEqual(value, was) || isDeepStrictEqual(mine, refused?.value);
    const isKnown = (other: unknown) =>
      [apart, mine, ...tried].some((known) => isDeepStrictEqual(known, other));
    const others = draft.entries.filter((one) => {
      if (one.why && (one.key !== key || !isKnown(one.value))) return true;
      // What a device was too late with stays until it's kept or given up, even if this one types on.
      if (one.why) return one.isLater && isAsSeen && !(one === refused && isChosen);
      // What a choice has taken from the others of its list stays taken.
      const isReplaced = one.key === key && typeof value !== 'boolean';
      return !isAsSeen || !(isReplaced || one.key.startsWith(`${key}.`));
    });
    const marked = others.filter((one) => one.why);
    // One whose place is gone can't be fixed.
    if (
      fields.some(({ key: inner }) => inner.startsWith(`${key}.`) && marked.some((one) => one.key === inner))
    )
      throw new Failed('A text in this list is marked. Choose or fix that one first.');
    const entry = { key, value };
    const before = withEntries(parts, saved, others);
    const after = withEntries(parts, saved, [...others, entry]);
    const why = isMoved ? MOVED : isAsSeen ? faultOf(parts, before.own, after.own) : isNow(field.value);
    // What no longer differs from words.json must not overwrite what she changes there by hand.
    if (!why) return write([...marked, ...entriesOf(parts, saved, after)], after.own, field.label);
    if (typeof value !== 'string' && typeof value !== 'number') throw new Failed(why);
    const kind = isMoved ? { isMoved: true as const } : !isAsSeen && { isLater: true as const };
    return write([...others, { ...entry, why, ...kind }], before.own, field.label);
  }

  /** Why the page can't show a value in a field; undefined if it can. */
  async function whyNot(key: string, value: unknown): Promise<string | undefined> {
    const { parts, saved } = await read();
    return faultOf(parts, saved.own, ownWith(parts, saved.own, key, value));
  }

  /** Publishes a value at once, apart from the draft: it's set elsewhere on the desk. */
  async function saveAtOnce(key: string, value: unknown): Promise<void> {
    const { parts, saved, draft } = await read();
    const own = ownWith(parts, saved.own, key, value);
    const others = draft.entries.filter((one) => one.why || one.key !== key);
    await allOrNothing([join(wordsDir, WORDS_FILE), join(wordsDir, DRAFT_FILE)], async () => {
      await writeOwn(wordsDir, own);
      await write(others, own);
      await publish();
    });
  }

  /** @param seen the version that she has looked through */
  async function readSeen(seen: string) {
    const found = await read();
    if (found.version === seen) return found;
    throw new Failed('The draft has changed in the meantime. Look through the list again.');
  }

  async function throwAway(seen: string): Promise<void> {
    await readSeen(seen);
    await rm(join(wordsDir, DRAFT_FILE), { force: true });
  }

  /** Shows the draft to visitors. */
  async function publishDraft(seen: string, now: Date): Promise<void> {
    const { parts, draft, saved, changes, steps } = await readSeen(seen);
    const all = [...steps, { at: now.toISOString(), changes }].slice(-MOST_STEPS);
    // Without what an update has removed
    const { own, photo } = withEntries(parts, saved, entriesOf(parts, saved, draft));
    const photos = new Set([...(await founderFiles(wordsDir)), ...(photo ? [founderFile(photo)] : [])]);
    const files = [WORDS_FILE, HISTORY_FILE, DRAFT_FILE, ...photos].map((name) => join(wordsDir, name));
    await allOrNothing(files, async () => {
      // First, since a crash mustn't lose the way back.
      if (changes.length > 0) await replaceFile(join(wordsDir, HISTORY_FILE), JSON.stringify({ steps: all }));
      if (!isDeepStrictEqual(own, saved.own)) await writeOwn(wordsDir, own);
      if (photo !== saved.photo) await putPhoto(wordsDir, photo);
      const marked = draft.entries.filter(({ why }) => why);
      await write(marked, own);
      await publish();
    });
  }

  return {
    read: inTurn(read),
    save: inTurn(save),
    whyNot: inTurn(whyNot),
    saveAtOnce: inTurn(saveAtOnce),
    publish: inTurn(publishDraft),
    throwAway: inTurn(throwAway),
  };
}

/** Changes files in several steps. If one fails, each file is restored or removed: even a full disk has room for that. */
async function allOrNothing(paths: readonly string[], change: () => Promise<void>): Promise<void> {
  const kept = paths.filter((path) => existsSync(path));
  const before = (path: string) => `${path}.before.unfinished`;
  try {
    for (const path of kept) {
      await rm(before(path), { force: true });
      // Some file systems have no hard links.
      await link(path, before(path)).catch(() => copyFile(path, before(path)));
    }
    await change().catch(async (error: unknown) => {
      for (const path of paths)
        await (kept.includes(path) ? rename(before(path), path) : rm(path, { force: true }));
      throw error;
    });
  } finally {
    for (const path of kept) await rm(before(path), { force: true });
  }
}

type Parts = Awaited<ReturnType<typeof readParts>>;

/** Her words with another value at a path, without what equals ours. */
function ownWith(parts: Parts, own: Words, key: string, value: unknown): Words {
  const [name = '', ...within] = key.split('.');
  const [list, choice] = [within.slice(0, -2), within.slice(-1)];
  let all = laidOver(parts, own)[name];
  const entries = valueAt(all, list);
  // A choice that only one entry of a list can have is taken from the others.
  const without = Array.isArray(entries) && entries.map((entry) => withValue(entry, choice, false));
  if (value === true && without) all = withValue(all, list, without);
  const hers = onlyOwn(parts.get(name)?.ours, withValue(all, within, value));
  const { [name]: _, ...others } = own;
  return hers === undefined ? others : { ...others, [name]: hers };
}

/** What visitors will see with what she has in her draft. */
function withEntries(parts: Parts, saved: Shown, entries: readonly Entry[]): Shown {
  let { own, photo } = saved;
  for (const { key, value, why } of entries) {
    if (why) continue;
    if (key === PHOTO) photo = value ? String(value) : null;
    else own = ownWith(parts, own, key, value);
  }
  return { own, photo };
}

/** Her draft, as the fewest changes to what's saved. */
function entriesOf(parts: Parts, saved: Shown, shown: Shown): Entry[] {
  const fields = fieldsWithPhoto(parts, wordsOf(parts, shown));
  return changesSince(wordsOf(parts, saved), fields).map(({ key, after }) => ({ key, value: after }));
}

/** Why the page can't show what's new in her words; undefined if it can. */
function faultOf(parts: Parts, before: Words, own: Words): string | undefined {
  const known = faultsIn(parts, before).map((fault) => JSON.stringify(fault));
  const fault = faultsIn(parts, own).find((one) => !known.includes(JSON.stringify(one)));
  return fault && `This ${fault.problem.replace(/, but is .*/s, '')}.`;
}

const MOVED = 'The list has changed in the meantime, and another entry is in this place.';
const isNow = (value: unknown) => `This was changed to “${value}” in the meantime.`;

const wordsOf = (parts: Parts, { own, photo }: Shown) =>
  withValue(laidOver(parts, own), PHOTO.split('.'), photo) as Words;

function fieldsWithPhoto(parts: Parts, words: Words): Field[] {
  const value = valueAt(words, PHOTO.split('.'));
  const photo: Field = {
    kind: 'photo',
    key: PHOTO,
    title: 'Your photo',
    label: 'Your photo',
    help: 'Choose it here, or drop it on the page.',
    value,
    ours: value === null ? undefined : null,
  };
  return fieldsOf(parts, words).flatMap((field) => (field.key === 'founder' ? [field, photo] : [field]));
}
