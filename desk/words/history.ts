import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HISTORY_FILE, isGroup, type Words } from '../../publish/words.ts';
import { replaceFile } from '../../settings/replace-file.ts';

/** What she changed in one step: a part of the words, or the photo. Undefined stands for what came with the project. */
export interface Change {
  /** What she calls it. */
  what: string;
  /** The part's name in words.json, or PHOTO. */
  part: string;
  before?: unknown;
  after?: unknown;
}

/** Its values are names of files in `earlier-photos`. */
export const PHOTO = 'photo';

export interface History {
  changes: Change[];
  /** How many of them are done; those after it can be redone. */
  done: number;
  /** What came with the project when she first changed a text, by its path. */
  shipped: Record<string, unknown>;
}

/** How many steps can be undone. */
const MOST = 200;

const EMPTY: History = { changes: [], done: 0, shipped: {} };

/** An unreadable file only costs the steps back, so it counts as empty. */
export async function readHistory(wordsDir: string): Promise<History> {
  try {
    const read: unknown = JSON.parse(await readFile(join(wordsDir, HISTORY_FILE), 'utf8'));
    return isGroup(read) ? { ...EMPTY, ...read } : EMPTY;
  } catch {
    return EMPTY;
  }
}

export async function writeHistory(wordsDir: string, history: History): Promise<void> {
  await replaceFile(join(wordsDir, HISTORY_FILE), JSON.stringify(history));
}

/** With one more change; what could be redone before it is gone. */
export function withChange({ changes, done, shipped }: History, change: Change): History {
  const kept = [...changes.slice(0, done), change].slice(-MOST);
  return { changes: kept, done: kept.length, shipped };
}

/**
 * The history is written before the words. If a crash came between the two, its last step hasn't been taken: `now` is
 * still as it was before.
 */
export function afterCrash(history: History, now: (part: string) => unknown): History {
  const { changes, done } = history;
  const last = changes[done - 1];
  const next = changes[done];
  if (last && isAt(last.before, now(last.part)) && !isAt(last.after, now(last.part)))
    return { ...history, done: done - 1 };
  // A step back that wasn't taken.
  if (next && isAt(next.after, now(next.part)) && !isAt(next.before, now(next.part)))
    return { ...history, done: done + 1 };
  return history;
}

/** Whether a part is as it's remembered. JSON leaves out what's undefined. */
export function isAt(remembered: unknown, now: unknown): boolean {
  return isDeepStrictEqual(remembered ?? null, now ?? null);
}

/** The words with one part set, or without it. */
export function withPart(own: Words, part: string, value: unknown): Words {
  const { [part]: _, ...others } = own;
  return value === undefined || value === null ? others : { ...others, [part]: value };
}
