import type { OnServed } from './listen.ts';
import type { Log } from './log.ts';

/** Stands for a path that is none of ours: what a stranger typed there is not written down. */
export const UNKNOWN_PATH = '(no such file)';

/** One line for each file that was sent: neither who asked for it, nor with what, nor the query. */
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
