import { InvalidArgumentError } from 'commander';

/** Exit codes. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** It couldn't be done; the message tells the owner why and what to do. */
export class Failed extends Error {
  override name = 'Failed';
}

/** A typing mistake; the message says what's right. When an option's parser throws it, commander adds the name. */
export class WrongUsage extends InvalidArgumentError {}
