import type { Logger as Log } from 'pino';
import type { Clock } from '../clock.ts';
import { forAnyClient } from '../messages/claims.ts';
import type { Store } from '../messages/store.ts';

/** It may be used up only briefly, e.g. if another process has a mail in hand and it fails. */
const SPENT_MS = 1_000;
/** The least time between two log lines saying it's used up. */
const TELL_MS = 60 * 60_000;

type Options = { store: Pick<Store, 'mailsOfLastHour'>; log: Log; clock: Clock; mailPerHour: number };

/**
 * MAIL_PER_HOUR: a flood from thousands of addresses mustn't exhaust the owner's mail account. A claim keeps to it, by
 * counting sent mails from the rows, so all instances share one budget, and a restart doesn't renew it. This only
 * remembers for a moment that it's used up, so that a claim isn't tried in vain again and again.
 */
export function createBudget({ store, log, clock, mailPerHour }: Options) {
  let spentUntil = Number.NEGATIVE_INFINITY;
  let isSpentForAll = false;
  let toldUntil = Number.NEGATIVE_INFINITY;
  const leftMs = (): number => Math.max(0, spentUntil - clock.ticks());
  return {
    /** How long until a claim may find something, for clients that have sent before. */
    leftMs,
    /** For a caller that does its own timing: the next claim asks anew. */
    askAnew(): void {
      spentUntil = Number.NEGATIVE_INFINITY;
    },
    /** Whether it would find nothing for new clients either. */
    isSpent: (): boolean => isSpentForAll && leftMs() > 0,
    /** Call when nothing was found to claim. */
    async look(now: number): Promise<void> {
      const { sent, inHand } = await store.mailsOfLastHour(now, mailPerHour);
      const most = forAnyClient(mailPerHour);
      isSpentForAll = sent + inHand >= mailPerHour;
      spentUntil = sent + inHand >= most ? clock.ticks() + SPENT_MS : Number.NEGATIVE_INFINITY;
      if (sent < most || clock.ticks() < toldUntil) return;
      toldUntil = clock.ticks() + TELL_MS;
      log.warn({ mailPerHour }, 'MAIL_PER_HOUR is reached; further mails go out later');
    },
  };
}
