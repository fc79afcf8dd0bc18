import { parseArgs } from 'node:util';
import { WordsError } from '../../publish/words.ts';
import { codeOf, isDiskFull, MaybeStored, StoreError } from '../../server/messages/store-error.ts';
import { SettingsError } from '../../settings/settings.ts';

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
    return 'The database gave no answer, so it may be done. Look before you do it again.';
  const code = codeOf(error);
  // A copy that finds no room names what it copies.
  if (isDiskFull(error)) return `The disk is full (${code}). Make room on it, and try again.`;
  if (MACHINE_FULL.test(code))
    return `The machine has too much to do to start on this (${code}). Try again in a minute.`;
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
