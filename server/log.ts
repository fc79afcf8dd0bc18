import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * What may be written of an error. Its message and properties can repeat what a visitor typed (a
 * JSON parser quotes its input, a mail server its recipient), so only names, codes and places stay.
 */
export function errorFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, responseCode, syscall } = error as Error & Record<string, unknown>;
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

const PERSONAL = ['name', 'email', 'message', 'body', 'subject', 'replyTo', 'values'];

export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    serializers: { err: errorFacts, error: errorFacts },
    // A second fence only. The first is that no caller hands such a value to the log.
    redact: { paths: PERSONAL.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[not logged]' },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** What happens, and who asked for which page: the latter is much, and may come a second later. */
export type Logs = { log: Log; access: Log; flush(): void };

const ACCESS_BUFFER = 8 * 1024;
const ACCESS_DELAY_MS = 1_000;

/** On standard output: lines to read on a terminal, JSON everywhere else. */
export async function openLogs(level: string, output: Output = process.stdout): Promise<Logs> {
  if (output.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    const lines = pretty({
      sync: true,
      singleLine: true,
      translateTime: 'SYS:HH:MM:ss',
      destination: output,
    });
    const log = createLog(level, lines);
    return { log, access: log, flush: () => log.flush() };
  }
  // One write for many lines; one each would take longer than sending the page.
  const buffered = destination({ sync: false, minLength: ACCESS_BUFFER, periodicFlush: ACCESS_DELAY_MS });
  // Without the fence for what must never be written: it takes long, and these lines have five fixed fields.
  const access = pino({ level, base: null }, buffered);
  return { log: createLog(level), access, flush: () => buffered.flushSync() };
}

type Output = NodeJS.WritableStream & { isTTY?: boolean };
