import type { Log } from '../log.ts';
import type { OnServed } from './listen.ts';

/** Stands in for any path that isn't ours, so that what a stranger typed isn't logged. */
export const UNKNOWN_PATH = '(no such file)';

/** One line per file sent. It doesn't say who asked for it or with which browser, and leaves out the query. */
export function logServed(access: Log): OnServed {
  if (!access.isLevelEnabled('info')) return () => {};
  return (request, response, { path, status, bytes }) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const ms = roundMs(performance.now() - startedAt);
      const brokenOff = response.writableFinished ? undefined : true;
      access.info({ method: request.method, path, status, ms, bytes, brokenOff }, 'page answered');
    });
  };
}

export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}
