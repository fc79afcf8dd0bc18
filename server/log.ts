import { setTimeout as wait } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import { FIELD_NAMES } from '../contract/contact-message.ts';

export type Log = Logger;

/**
 * What may be logged about an error. Its message and properties can repeat what a visitor typed (a JSON parser quotes
 * its input, a mail server its recipient), so only names, codes and locations are kept.
 */
export function errorFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  // `fetch` says only that it failed; what failed is its cause.
  const source = error.cause instanceof Error && !('code' in error) ? error.cause : error;
  const { code, responseCode, syscall } = source as Error & Record<string, unknown>;
  return {
    type: error.name,
    ...(typeof code === 'string' && { code }),
    ...(typeof responseCode === 'number' && { responseCode }),
    ...(typeof syscall === 'string' && { syscall }),
    at: error.stack
      ?.split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8)
      .map((line) => line.trim()),
  };
}

/** From now on, an error that nobody expected ends the program without its message, which may hold a password. */
export function hideUnexpected(): void {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`\n${inspect(errorFacts(error))}\n`, () => process.exit(1));
  });
}

const PERSONAL = [...FIELD_NAMES, 'body', 'subject', 'replyTo', 'values'];

export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    serializers: { err: errorFacts, error: errorFacts },
    // Just a second line of defence: no caller passes such a value to the log.
    redact: { paths: PERSONAL.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[not logged]' },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** How much may wait while nothing can be written. What comes beyond that is lost. */
const MOST_WAITING = 2 ** 20;
/** Lines that found no room are written together, with the next one or after a second. */
const BUFFER = 8 * 1024;
const BUFFER_MS = 1_000;

/**
 * Logs to standard output: readable lines on a terminal, JSON everywhere else. `say` writes text as is; `end` resolves once
 * everything is written, or can't be for now. A disk that's full or a reader that's gone or slow never stops or holds up
 * the server.
 */
export function openLogs(level: string, fd = 1, isTerminal = isatty(fd)) {
  const output = pino.destination({
    dest: fd,
    sync: false,
    minLength: BUFFER,
    maxLength: MOST_WAITING,
    periodicFlush: BUFFER_MS,
    // Its own way waits for room by a timer that would keep the process from ending.
    retryEAGAIN: () => false,
  });
  let isFailing = false;
  // In place of pino's own listener, which throws. It tries again with the next line, or after a second.
  output.removeAllListeners('error').on('error', () => {
    isFailing = true;
  });
  output.on('write', () => {
    isFailing = false;
  });
  const flushSync = output.flushSync.bind(output);
  // At the exit, too: where there's no room, it would try for ever.
  output.flushSync = () => {
    try {
      if (!isFailing) flushSync();
    } catch {
      // There's no one left to tell.
    }
  };
  const say = (text: string) => {
    output.write(text);
    output.flush();
  };
  const log = createLog(level, { write: (line) => say(isTerminal ? toRead(line) : line) });
  async function end(): Promise<void> {
    const flushed = new Promise<void>((resolve) => output.flush(() => resolve()));
    await Promise.race([flushed, wait(BUFFER_MS)]);
    output.flushSync();
  }
  return { log, say, end };
}

/** A line of JSON as people read it. */
function toRead(line: string): string {
  const { level, time, msg, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const name = pino.levels.labels[Number(level)]?.toUpperCase();
  const more = Object.keys(facts).length > 0 ? ` ${JSON.stringify(facts)}` : '';
  return `[${new Date(Number(time)).toTimeString().slice(0, 8)}] ${name}: ${msg}${more}\n`;
}
