const HOUR = 60 * 60_000;

/**
 * How many mails may go out, whoever wrote: a flood from thousands of addresses must not use up the
 * owner's mail account. Beyond it messages are stored as ever, and wait.
 */
export function createMailBudget(perHour: number) {
  /** When the mails of the last hour went out, oldest first; never more than `perHour` of them. */
  let sentAt: number[] = [];

  return {
    /** How many more may go out now. */
    left(now: number): number {
      sentAt = sentAt.filter((time) => time > now - HOUR);
      return Math.max(0, perHour - sentAt.length);
    },
    spend(now: number): void {
      sentAt.push(now);
    },
    /** When the next one may go out, once none is left. */
    nextAt: (): number => (sentAt.length < perHour ? 0 : (sentAt[0] ?? 0) + HOUR),
  };
}
