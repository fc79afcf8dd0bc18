import type { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import { FIELD_NAMES } from '../contract/contact-message.ts';

export type Log = Logger;

/** Its names, codes and locations alone: a message can repeat what was typed, as a JSON parser quotes its input. */
function errorFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  // `fetch` says only that it failed; what failed is its cause.
  const source = error.cause instanceof Error && !('code' in error) ? error.cause : error;
  const { code, responseCode, syscall } = source as Error & Record<string, unknown>;
  return {
    type: error.name,
    ...(typeof code === 'string' && { code }),
    ...(typeof responseCode === 'number' && { responseCode }),
    ...(typeof syscall === 'string' && { syscall }),
    at: error.stack?.match(/(?<=^ +)at .+/gm)?.slice(0, 8),
  };
}

/** From now on, an error that nobody expected ends the program without its message, which may hold a password. */
export function hideUnexpected(): void {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`\n${inspect(errorFacts(error))}\n`, () => process.exit(1));
  });
}

const PERSONAL = [...FIELD_NAMES, 'body', 'subject', 'replyTo', 'values'];

export function createLog(level: string, destination: DestinationStream = process.stdout): Log {
  // Just a second line of defence: no caller passes such a value to the log.
  const paths = PERSONAL.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  const serializers = { err: errorFacts, error: errorFacts };
  return pino({ level, base: null, serializers, redact: { paths, censor: '[not logged]' } }, destination);
}

/** In bytes. Once this much waits to be read, further lines are lost. */
const MOST_WAITING = 2 ** 20;
const END_MS = 1_000;

/** A full disk, or a reader that's gone or slow, never stops the server. `end` waits a moment for the rest to be written. */
export function openLogs(level: string, output: Writable & { isTTY?: boolean } = process.stdout) {
  output.on('error', () => {});
  const say = (text: string) => {
    if (output.writableLength < MOST_WAITING) output.write(text);
  };
  const log = createLog(level, { write: (line) => say(output.isTTY ? toRead(line) : line) });
  async function end(): Promise<void> {
    const written = new Promise((resolve) => output.write('', resolve));
    await Promise.race([written, wait(END_MS)]);
  }
  return { log, say, end };
}

function toRead(line: string): string {
  const { level, time, msg, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const name = pino.levels.labels[Number(level)]?.toUpperCase();
  const more = Object.keys(facts).length > 0 ? ` ${JSON.stringify(facts)}` : '';
  return `[${new Date(Number(time)).toTimeString().slice(0, 8)}] ${name}: ${msg}${more}\n`;
}
