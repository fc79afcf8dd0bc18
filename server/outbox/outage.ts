import { HOUR, MINUTE } from '../../contract/time.ts';
import type { Store } from '../messages/store.ts';
import { codeOf, StoreError } from '../messages/store-error.ts';
import { isWithin, type Trouble } from './alerts.ts';

/** An outage ends after this long without a fault, so intermittent failures count as one, reported once an hour. */
const QUIET_MS = 45_000;

/** Messages can't be stored, on and off or the whole time. */
type Outage = { since: number; lastAt: number; fault: string; turnedAway: number };

/** Knows whether messages can be stored. */
export function createOutage(store: Pick<Store, 'checkRoom'>) {
  let outage: Outage | undefined;
  /** Kept until its end was told. */
  let ended: Outage | undefined;
  /** True until something shows that there's room for a message again. */
  let isFailing = false;

  function note(error: unknown, now: number): Outage {
    isFailing = true;
    outage ??= { since: now, lastAt: now, fault: '', turnedAway: 0 };
    outage.lastAt = now;
    outage.fault = describe(error);
    return outage;
  }

  async function tryRoom(now: number): Promise<void> {
    try {
      await store.checkRoom(now);
      isFailing = false;
    } catch (error) {
      note(error, now);
      throw error;
    }
  }

  const trouble: Trouble = {
    what: 'messages not stored',
    everyMs: HOUR,
    async find(now) {
      await tryRoom(now).catch(() => undefined);
      if (outage && !isFailing && !isWithin(QUIET_MS, outage.lastAt, now)) {
        ended = outage;
        outage = undefined;
      }
      if (!outage) return undefined;
      const { fault, turnedAway } = outage;
      const asked = turnedAway > 0 ? `${visitors(turnedAway)} asked to send theirs again later so far. ` : '';
      const text = `Contact form: VISITORS ARE TURNED AWAY, since their messages can't be saved: ${fault}. ${asked}\`npm run desk doctor\` says what's wrong and what to do.`;
      return { text, facts: { turnedAway } };
    },
    over() {
      const { since, lastAt, turnedAway } = ended ?? { since: 0, lastAt: 0, turnedAway: 0 };
      const minutes = Math.max(1, Math.ceil((lastAt - since) / MINUTE));
      const time = minutes === 1 ? 'a minute' : `${minutes} minutes`;
      const asked =
        turnedAway > 0
          ? `, and ${visitors(turnedAway)} asked to send theirs again later`
          : ', and no visitor was turned away';
      return {
        text: `Contact form: messages are saved again. For ${time} they couldn't be${asked}.`,
        facts: { turnedAway },
      };
    },
  };

  return {
    trouble,
    turnedAway(error: unknown, now: number): boolean {
      const isNews = !outage;
      note(error, now).turnedAway += 1;
      return isNews;
    },
    async confirmRoom(now: number): Promise<void> {
      if (isFailing) await tryRoom(now);
    },
  };
}

const visitors = (number: number) => (number === 1 ? '1 visitor was' : `${number} visitors were`);

/** A database's own words may repeat a visitor's. */
function describe(error: unknown): string {
  if (error instanceof StoreError) return error.message.replace(/\.$/, '');
  const code = codeOf(error);
  const words = /^(53100|SQLITE_FULL|ENOSPC)$/.test(code) ? 'the disk is full' : 'the database failed';
  return code ? `${words} (${code})` : words;
}
