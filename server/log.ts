import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import { FIELD_NAMES } from '../contract/contact-message.ts';
import { openOutput } from './output.ts';

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

/**
 * Logs to standard output: readable lines on a terminal, JSON everywhere else. `access` is for page requests, which are
 * frequent and may be written a second later; `say` writes text as is; `end` resolves once everything is written, or
 * can't be for now.
 */
export async function openLogs(level: string, fd = 1, isTerminal = isatty(fd)) {
  const output = openOutput(fd, (lines) => {
    log.error({ lines }, 'lines of this log were lost, because standard output took no more');
  });
  const readable = isTerminal ? await linesToRead() : undefined;
  const log = createLog(level, { write: (line) => output.write(readable?.(line) ?? line) });
  // Without `redact`, which is slow: these lines have fixed fields.
  const access = readable ? log : pino({ level, base: null }, { write: output.writeLater });
  process.once('exit', output.writeNow);
  return { log, access, say: output.write, end: output.end };
}

async function linesToRead(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss' });
}
