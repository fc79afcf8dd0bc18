import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';
import { type Day, dayAt } from '../mail/day.ts';
import type { Database } from '../messages/database.ts';
import { addToDay, type Counted } from '../messages/figures.ts';
import type { Log } from './log.ts';

export type VisitCount = ReturnType<typeof createVisitCount>;

type Options = {
  database: Pick<Database, 'db' | 'write'>;
  log: Log;
  clock: () => number;
  timeZone: string;
};

/** There are few browsers at a time; what is beyond that is somebody's play. */
const MOST_AGENTS = 500;

/**
 * Counts visits and messages in memory, a number for each day and nothing else, and adds them to the database
 * now and then: what a page request costs is one addition. A crash loses the counts since the last `flush`.
 */
export function createVisitCount({ database, log, clock, timeZone }: Options) {
  type Tally = { day: Day } & Record<Counted, number>;
  let today: Tally = { day: dayAt(clock(), timeZone), visit: 0, message: 0 };
  const earlier: Tally[] = [];
  /** Whether it is a program's; asking anew takes as long as sending the page. Emptied by each `flush`. */
  const agents = new Map<string, boolean>();

  function count(what: Counted): void {
    const now = clock();
    if (now >= today.day.endsAt || now < today.day.startsAt) {
      earlier.push(today);
      today = { day: dayAt(now, timeZone), visit: 0, message: 0 };
    }
    today[what] += 1;
  }

  function isProgram(agent: string | undefined): boolean {
    if (!agent) return true;
    const known = agents.get(agent);
    if (known !== undefined) return known;
    const verdict = isbot(agent);
    if (agents.size < MOST_AGENTS) agents.set(agent, verdict);
    return verdict;
  }

  async function write(tally: Tally): Promise<void> {
    for (const what of ['visit', 'message'] as const) {
      const count = tally[what];
      if (count === 0) continue;
      tally[what] = 0;
      try {
        await addToDay(database, tally.day.name, what, count);
      } catch (error) {
        tally[what] += count;
        throw error;
      }
    }
  }

  async function writeAll(): Promise<void> {
    agents.clear();
    try {
      for (let [oldest] = earlier; oldest; [oldest] = earlier) {
        await write(oldest);
        earlier.shift();
      }
      await write(today);
    } catch (error) {
      log.warn({ err: error }, 'the counts of visits cannot be written; they are kept for the next time');
    }
  }

  let writing = Promise.resolve();
  return {
    /** The page was sent in answer to this request, whole or as "not modified". */
    pageSent(headers: IncomingHttpHeaders): void {
      if (isForShow(headers) && !isProgram(headers['user-agent'])) count('visit');
    },
    /** A message was stored that is to be mailed. */
    messageStored(): void {
      count('message');
    },
    /** Adds to the database what has been counted since the last time. */
    flush(): Promise<void> {
      writing = writing.then(writeAll);
      return writing;
    },
  };
}

/** False for what a browser fetches ahead, or for something else than a window that somebody looks at. */
function isForShow(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined && destination !== 'document') return false;
  return !(headers['sec-purpose'] || headers.purpose || headers['x-moz']);
}
