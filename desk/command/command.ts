import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { SENTENCES_FILE, type Sentences } from '../../contract/refusal-sentences.ts';
import { DIST } from '../../publish/publish.ts';
import { WordsError } from '../../publish/words.ts';
import { readSentences } from '../../server/http/answers.ts';
import type { Database } from '../../server/messages/database.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { codeOf, isDiskFull, MaybeStored, StoreError } from '../../server/messages/store-error.ts';
import { PROJECT_ROOT, type Settings, SettingsError, shortPath } from '../../settings/settings.ts';

/* What the commands have in common, and the pages that do the same. */

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** It couldn't be done; the message tells the owner why and what to do. */
export class Failed extends Error {
  override name = 'Failed';
}

/** A typing mistake; the message says what's right. */
export class WrongUsage extends Failed {}

/** Error codes from SQLite, Postgres, or the network. */
const DATABASE_CODE = /^(SQLITE_[A-Z_]+|[0-9A-Z]{5}|ECONN[A-Z]+|ETIMEDOUT|ENOTFOUND|E[A-Z]+UNREACH)$/;

const RIGHTS = /^(EACCES|EPERM|EROFS)$/;

/** Too many files are open, or programs running, or there's no memory for one more. */
const MACHINE_FULL = /^(EMFILE|ENFILE|EAGAIN|ENOMEM)$/;

/** A sentence for the owner. Rethrows anything that's a bug of ours. */
export function explain(error: unknown): string {
  if ([Failed, SettingsError, StoreError, WordsError].some((kind) => error instanceof kind))
    return (error as Error).message;
  if (error instanceof MaybeStored)
    return 'The database gave no answer, so it may have been done. Check before you do it again.';
  const code = codeOf(error);
  // If a copy finds no room, the error names its source, not the full disk.
  if (isDiskFull(error)) return `The disk is full (${code}). Make room on it, and try again.`;
  if (MACHINE_FULL.test(code))
    return `The machine is too busy to start this (${code}). Try again in a minute.`;
  if (error instanceof Error && 'path' in error)
    return `${String(error.path)} cannot be read or changed (${code}).${RIGHTS.test(code) ? ' Does this user have the right to?' : ''}`;
  if (DATABASE_CODE.test(code))
    return `The database couldn’t do it (${code}). Try again; the server’s log may say more.`;
  throw error;
}

/** Which of its flags a command was given, and its file, if it takes one. */
export function readArgs(args: string[], flags: string[], allowPositionals = false) {
  const options = Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' } as const]));
  const { values, positionals } = parseArgs({ args, allowPositionals, options });
  if (positionals.length > 1) throw new WrongUsage('Name one file.');
  return { given: new Set(Object.keys(values)), file: positionals[0] };
}

export const write = (text: string) => void process.stdout.write(text);

/** For people, so to stderr: scripts get only data on stdout. */
export const note = (text: string) => void process.stderr.write(text);

/** What could move the cursor, change colours or reverse the reading direction. */
export const UNPRINTABLE = /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

/** What others wrote, with a mark in place of each of those. */
export const printable = (text: string) => text.replace(UNPRINTABLE, '\uFFFD');

/** `1 message`, `1,234 messages`. */
export const count = (number: number, what: string) =>
  `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;

const COMMAND = join(PROJECT_ROOT, 'desk/desk-command.ts');

/**
 * What a command prints. It has its own process, so visitors are answered meanwhile and its memory is freed. If nobody
 * reads on, it ends at its next output. @throws {Failed} once it has ended, with its words, if its exit code isn't fine
 */
export async function* runCommand(args: string[], fine: number[] = [EXIT.done]): AsyncGenerator<Uint8Array> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  // One that never ran has no output.
  await once(child, 'spawn');
  const said = text(child.stderr);
  const ended = once(child, 'close');
  yield* child.stdout;
  const [code] = await ended;
  if (!fine.includes(code)) throw new Failed((await said).trim() || 'It stopped before it was done.');
}

export const DESK_CONNECTION = { connections: 1 };

/** Never creates a file: a mistyped DATABASE_URL must not leave an empty database behind. */
export async function openExisting({ database: setting }: Settings): Promise<Database> {
  if (setting.engine === 'sqlite' && !statSync(setting.file, { throwIfNoEntry: false })) {
    throw new StoreError(
      `There is no database at ${shortPath(setting.file)}: the server creates it when it first starts. Is DATABASE_URL right?`,
    );
  }
  return openDatabase(setting, DESK_CONNECTION);
}

/** What the page says and promises: `SENTENCES`, as a function on Supabase has it, or what was published last. */
export function sentences(dist = DIST): Sentences {
  const path = join(dist, SENTENCES_FILE);
  const built = process.env.SENTENCES ?? (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  return readSentences(built);
}
