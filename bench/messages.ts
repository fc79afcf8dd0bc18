import { closeSync, fsyncSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact.ts';
import { openSqlite } from '../messages/open.ts';
import { createStore, type Store } from '../messages/store.ts';
import { serve } from './servers.ts';
import { median, percentiles, row, spread } from './table.ts';

const SECONDS = 4;
const ROUNDS = 3;
const AT_ONCE = 500;
const SENDERS = 64;

/**
 * How many messages per second are stored durably on the disk of `folder`, alternating between one commit each and
 * group commit. Then the latency at half the group commit rate, and the whole server over HTTP while it also serves
 * pages.
 */
export async function messages(site: string, folder: string): Promise<void> {
  // Measured because fsyncs are all that group commit saves.
  const fsync = fsyncTime(folder);
  row('fsync takes', `${fsync.toFixed(2)} ms`, fsync);
  const each: number[] = [];
  const shared: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    each.push(await withStore(folder, (store) => rateOf(store, 1)));
    shared.push(await withStore(folder, (store) => rateOf(store, AT_ONCE)));
  }
  const [one, many] = [median(each), median(shared)];
  row('messages a second, a commit each', spread(each), each);
  row(`group commit, ${AT_ONCE} at once`, spread(shared), shared);
  row('ratio', `${(many / one).toFixed(1)} (wanted: at least 10, on a disk with a slow fsync)`, many / one);
  const latencies = await withStore(folder, (store) => latenciesAt(store, many / 2));
  row(`at ${Math.round(many / 2)} messages a second`, `${percentiles(latencies)} (wanted: p99 below 100)`);
  await overHttp(site, folder);
}

function fsyncTime(folder: string): number {
  const file = openSync(join(folder, 'fsync'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return median(times);
}

function message(index: number) {
  return { name: 'Ana Souza', email: 'ana@example.org', message: `${index} ${'stock '.repeat(60)}` };
}

async function withStore<T>(folder: string, run: (store: Store) => Promise<T>): Promise<T> {
  const place = mkdtempSync(join(folder, 'store-'));
  const database = await openSqlite(join(place, 'contact.db'));
  const store = createStore(database, { mailDomain: 'example.com' });
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

/** With a single sender, each message gets its own commit. */
async function rateOf(store: Store, senders: number): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (performance.now() - startedAt < SECONDS * 1000) {
        count += 1;
        await store.add(message(count), { now: Date.now() });
      }
    }),
  );
  return (count / (performance.now() - startedAt)) * 1000;
}

/** Messages arrive at a fixed rate, whether or not earlier ones are stored, so that queueing counts. */
async function latenciesAt(store: Store, perSecond: number): Promise<number[]> {
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let count = 0; ; ) {
    const elapsed = performance.now() - startedAt;
    if (elapsed > SECONDS * 1000) break;
    for (; count < (elapsed / 1000) * perSecond; count += 1) {
      const dueAt = startedAt + (count / perSecond) * 1000;
      const stored = store.add(message(count), { now: Date.now() });
      pending.push(stored.then(() => void latencies.push(performance.now() - dueAt)));
    }
    await wait(1);
  }
  await Promise.all(pending);
  return latencies;
}

async function overHttp(site: string, folder: string): Promise<void> {
  // One mail an hour, so that only storing is measured.
  const { url } = await serve(site, folder, { MAIL_PER_HOUR: '1' });
  const pages: number[] = [];
  let sending = true;
  const readers = Array.from({ length: 2 }, async () => {
    while (sending) {
      const askedAt = performance.now();
      await (await fetch(url)).arrayBuffer();
      pages.push(performance.now() - askedAt);
    }
  });
  const posts = await sendMessages([url]);
  sending = false;
  await Promise.all(readers);
  row(`over HTTP, ${SENDERS} senders`, `${rate(posts)} messages/s, ${percentiles(posts)}`);
  row('pages meanwhile', `${rate(pages)} pages/s, ${percentiles(pages)}`);
}

/** Sends to the servers in turn; resolves to how long each response took, in ms. */
export async function sendMessages(urls: string[]): Promise<number[]> {
  const times: number[] = [];
  const startedAt = performance.now();
  const send = async (sender: number) => {
    for (let index = 0; performance.now() - startedAt < SECONDS * 1000; index += 1) {
      const askedAt = performance.now();
      const response = await fetch(
        `${urls[(sender + index) % urls.length]}${FUNCTIONS_PATH}/${FUNCTION_NAME}`,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            apikey: DEFAULT_ANON_KEY,
            'x-forwarded-for': `10.${sender}.${(index >> 8) & 255}.${index & 255}`,
          },
          body: JSON.stringify({ ...message(index), name: `Sender ${sender}` }),
        },
      );
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`a message was answered with ${response.status}`);
      times.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
  return times;
}

/** Per second, for anything counted while messages were being sent. */
export function rate(times: number[]): number {
  return Math.round(times.length / SECONDS);
}
