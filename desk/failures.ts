import { InvalidArgumentError } from 'commander';

/** How a command ends. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** What Node, SQLite or Postgres calls an error; empty where it has no such name. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** It could not be done; the message tells the owner why, and what to do. */
export class Failed extends Error {
  override name = 'Failed';
}

/** The command was not typed as it must be; the message says how. Commander adds which option it's about. */
export class WrongUsage extends InvalidArgumentError {}
