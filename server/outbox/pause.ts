import { MINUTE } from '../../contract/time.ts';

/** Many mail providers lock an account after repeated wrong passwords. */
const PAUSES_MS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE];

/** Keeps all mails back while the mail server refuses our login. On a clock that nobody sets. */
export function createPause() {
  let until = Number.NEGATIVE_INFINITY;
  let faults = 0;
  // Whole milliseconds, since the database takes no others.
  const leftMs = (): number => Math.max(0, Math.ceil(until - performance.now()));
  return {
    /** 0: there's none. */
    leftMs,
    /** Call when the login was refused. Mails that were on their way together fail together, which is one fault. */
    begin(): number {
      if (leftMs() === 0) {
        until = performance.now() + (PAUSES_MS[Math.min(faults, PAUSES_MS.length - 1)] ?? 0);
        faults += 1;
      }
      return leftMs();
    },
    /** Call when a mail was sent. */
    end(): void {
      until = Number.NEGATIVE_INFINITY;
      faults = 0;
    },
  };
}
