import { sql } from 'kysely';
import { MINUTE } from '../../../contract/time.ts';
import { claim, markFailed, markSent, nextDueAt, putOff, setAside } from '../../../server/messages/claims.ts';
import type { Database } from '../../../server/messages/database.ts';
import { add, type NewMessage } from '../../../server/messages/insert.ts';
import { countUnsent } from '../../../server/messages/queries.ts';

type Rest = [leaseMs: number, mailsPerHour?: number, inHand?: string[]];

export type Store = ReturnType<typeof createStore>;

const at = (database: Database, now: number): Database => ({ ...database, now: (ms) => sql.val(now + ms) });

export function createStore(database: Database) {
  return {
    add: (message: Parameters<typeof add>[1], options: Omit<NewMessage, 'mailDomain'>) =>
      add(database, message, { mailDomain: 'example.com', ...options }),
    /** At the given time, or the database's. */
    claim: (now: number | undefined, ...rest: Rest) =>
      claim(now === undefined ? database : at(database, now), ...rest),
    markSent: markSent.bind(undefined, database),
    markFailed: markFailed.bind(undefined, database),
    putOff: putOff.bind(undefined, database),
    setAside: setAside.bind(undefined, database),
    async setNextAside(now: number, fault: string): Promise<void> {
      const claimed = await claim(at(database, now), MINUTE);
      if (!claimed || !(await setAside(database, claimed, fault)))
        throw new Error('There was none to set aside');
    },
    nextDueAt: nextDueAt.bind(undefined, database),
    counts: () => countUnsent(database),
  };
}
