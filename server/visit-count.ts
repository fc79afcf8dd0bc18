import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';
import type { Database } from '../messages/database.ts';
import { dayAt } from '../messages/day.ts';
import { addToDay, type Counted } from '../messages/figures.ts';
import type { Log } from './log.ts';

type Options = {
  database: Pick<Database, 'db' | 'write' | 'clock'>;
  log: Log;
  timeZone: string;
};

/** Few different browsers are in use at a time; any more are made up. */
const MOST_AGENTS = 500;

/**
 * Counts visits and messages in memory, one number per day and nothing else, and adds them to the database about once a
 * minute, so a page costs one addition. A crash loses the counts since the last `flush`.
 */
export function createVisitCount({ database, log, timeZone }: Options) {
  const { clock } = database;
  let today = dayAt(clock.now(), timeZone);
  /** Keyed by day and what's counted. */
  const counts = new Map<string, { day: string; what: Counted; count: number }>();
  /**
   * Whether a user agent is a program's. Cached because `isbot` takes as long as sending the page. Each `flush` clears
   * it.
   */
  const agents = new Map<string, boolean>();

  function count(what: Counted): void {
    const now = clock.now();
    if (now >= today.endsAt || now < today.startsAt) today = dayAt(now, timeZone);
    const key = `${today.name} ${what}`;
    const { count } = counts.get(key) ?? { count: 0 };
    counts.set(key, { day: today.name, what, count: count + 1 });
  }

  function isProgram(agent: string | undefined): boolean {
    if (!agent) return true;
    const known = agents.get(agent);
    if (known !== undefined) return known;
    const verdict = isbot(agent);
    if (agents.size < MOST_AGENTS) agents.set(agent, verdict);
    return verdict;
  }

  async function write(): Promise<void> {
    agents.clear();
    for (const [key, counted] of counts) {
      counts.delete(key);
      try {
        await addToDay(database, counted);
      } catch (error) {
        counts.set(key, { ...counted, count: counted.count + (counts.get(key)?.count ?? 0) });
        log.warn({ err: error }, 'the counts of visits cannot be written; they are kept for the next time');
        return;
      }
    }
  }

  let writing = Promise.resolve();
  return {
    /** The page was sent in response to this request, in full or as "not modified". */
    pageSent(headers: IncomingHttpHeaders): void {
      if (isForShow(headers) && !isProgram(headers['user-agent'])) count('visit');
    },
    /** A message to be mailed was stored. */
    messageStored(): void {
      count('message');
    },
    /** Adds what was counted since the last flush to the database. */
    flush(): Promise<void> {
      writing = writing.then(write);
      return writing;
    },
  };
}

/** False for prefetches, partial requests, and anything that isn't a window someone looks at. */
function isForShow(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined && destination !== 'document') return false;
  return !(headers['sec-purpose'] || headers.purpose || headers['x-moz'] || headers.range);
}
