import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqlite } from '../../server/messages/open.ts';
import { createStore } from '../../server/messages/store.ts';
import type { State } from './disk.ts';
import { answeredIn, type Recording } from './recording.ts';
import type { Call } from './system-calls.ts';

const LEASE_MS = 120_000;
const DAY_MS = 24 * 60 * 60_000;

/** What the real code finds on a disk. */
export type Found =
  | { fault: string }
  | { rows: Map<string, { text: string; state: string }>; claimed: Set<string> };

/** Stands for a long text, of which thousands of disks have a copy. */
const shortOf = (text: string) => hash('sha1', text);

/**
 * Opens the messages as a start does, reads them all, and claims each that waits.
 *
 * @param known what was claimed of the same rows on other disks: then one claim, which writes to this one too, is enough
 */
export async function lookAtMessages(file: string, known = new Map<string, Set<string>>()): Promise<Found> {
  try {
    const database = await openSqlite(file);
    try {
      const verdict = database.sqlite.pragma('integrity_check', { simple: true });
      if (verdict !== 'ok') return { fault: `the file is damaged: ${verdict}` };
      const stored = await database.db
        .selectFrom('contact_message as mail')
        .select(['mail.id', 'message', 'mail.state', 'mail.attempts', 'mail.next_attempt_at'])
        .orderBy('mail.id')
        .execute();
      const rows = stored.map(({ message, ...row }) => ({ ...row, text: shortOf(message) }));
      const store = createStore(database, { mailDomain: 'example.com', leaseClock: 'caller' });
      // By then no lease runs any more.
      const later = Date.now() + DAY_MS;
      const first = await store.claim(later, LEASE_MS);
      const contents = JSON.stringify(rows);
      const claimed = known.get(contents) ?? new Set<string>();
      if (!known.has(contents)) {
        for (let next = first; next; next = await store.claim(later, LEASE_MS)) claimed.add(next.id);
        known.set(contents, claimed);
      }
      if ((first === undefined) !== (claimed.size === 0)) return { fault: 'no message can be claimed' };
      return { rows: new Map(rows.map((row) => [row.id, row])), claimed };
    } finally {
      await database.close();
    }
  } catch (error) {
    return { fault: `it can’t be opened: ${(error as Error).message}` };
  }
}

/** A folder in memory, where a sync costs nothing; gone when the test ends. */
export function folderInMemory(): string {
  const memory = '/dev/shm';
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'power-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What was told by when, and hence has to be true from then on. */
export function promisesOf({ calls, words, erased, folder }: Recording) {
  const answered = new Map<string, number>();
  const gone = new Map<string, number>();
  const copied = new Map<string, number>();
  let erasures = 0;
  const told = new Set<Call>();
  for (const call of calls) {
    if (call.kind !== 'say') continue;
    const id = answeredIn(call);
    const copy = /^Copied .* to (\S+) \(/.exec(call.text)?.[1];
    if (id !== undefined && words.has(id)) answered.set(id, call.at);
    else if (copy?.startsWith(folder)) copied.set(copy, call.at);
    else if (call.text.startsWith('Erased 1 message')) {
      gone.set(erased[erasures] ?? '', call.at);
      erasures += 1;
    } else continue;
    told.add(call);
  }
  return { answered, gone, copied, told };
}

/** Files whose name promises that they're whole. */
const IS_WHOLE = /\.eml$|\/copy\.\w+$/;

/** @returns what was promised and isn't so, or undefined */
export function brokenPromise(
  recording: Recording,
  promises: ReturnType<typeof promisesOf>,
  { after: { at }, state }: { after: Call; state: State },
  found: Found,
): string | undefined {
  const { words, whole } = recording;
  if ('fault' in found) return found.fault;
  for (const [path, bytes] of state.files)
    if (IS_WHOLE.test(path) && !whole.get(path)?.equals(bytes)) return `${path} isn’t whole`;
  for (const [path, since] of promises.copied)
    if (since <= at && !state.files.has(path)) return `the backup ${path} is missing`;
  const { rows, claimed } = found;
  const mails = new Set([...state.files.keys()].map(idOfMail));
  for (const [id, since] of promises.answered) {
    const goneSince = promises.gone.get(id);
    // Between the request to erase it and the word that it's done, it may be there or not.
    if (since > at || goneSince !== undefined) continue;
    const row = rows.get(id);
    if (row?.text !== shortOf(words.get(id) ?? ''))
      return `message ${id}, answered 200 by call ${since}, is missing`;
    if (row?.state === 'sent') {
      if (!mails.has(id)) return `message ${id} is marked as mailed, and its mail is missing`;
    } else if (!claimed.has(id)) return `message ${id} is ${row?.state} and is never mailed`;
  }
  const texts = [...rows.values()].map(({ text }) => text);
  if (new Set(texts).size < texts.length) return 'a message is there twice';
  for (const [id, since] of promises.gone) {
    if (since > at) continue;
    // Its beginning, since SQLite cuts a long text into pages.
    const beginning = words.get(id)?.slice(0, 10) ?? id;
    const traces = [...state.files].find(
      ([path, bytes]) =>
        !/\/(?:desk-\d+-)?copy\./.test(path) && (idOfMail(path) === id || bytes.includes(beginning)),
    );
    if (rows.has(id)) return `message ${id}, erased by call ${since}, is back`;
    if (traces) return `message ${id}, erased by call ${since}, is still in ${traces[0]}`;
  }
  return undefined;
}

export const idOfMail = (path: string): string | undefined =>
  /-([0-9a-f]{8}-[0-9a-f-]{27})\.eml$/.exec(path)?.[1];

export const isOfMessages = (folder: string) => (path: string) =>
  path === folder || path === join(folder, 'data') || dirname(path) === join(folder, 'data');
