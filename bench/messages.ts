import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact.ts';
import { openStore, type Store } from '../messages/store.ts';
import { serve } from './servers.ts';
import { median, percentiles, row, spread } from './table.ts';

const SECONDS = 4;
const ROUNDS = 3;
const AT_ONCE = 500;

/**
 * How many messages a second are stored durably: one commit each against commits that are shared, on the
 * disk of `folder`, one run right after the other. Then the latency at half of the shared rate, and the
 * whole server over HTTP with its pages fetched meanwhile.
 */
export async function messages(folder: string): Promise<void> {
  // Without it the ratio says little: shared commits save nothing but these waits.
  const fsync = fsyncTime(folder);
  row('the disk takes a write within', `${fsync.toFixed(2)} ms`, fsync);
  const each: number[] = [];
  const shared: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    each.push(await withStore(folder, (store) => rateOf(store, 1)));
    shared.push(await withStore(folder, (store) => rateOf(store, AT_ONCE)));
  }
  const [one, many] = [median(each), median(shared)];
  row('messages a second, a commit each', spread(each), each);
  row(`shared commits, ${AT_ONCE} at once`, spread(shared), shared);
  row(
    'ratio',
    `${(many / one).toFixed(1)} (wanted: at least 10, on a disk that makes writers wait)`,
    many / one,
  );
  const latencies = await withStore(folder, (store) => latenciesAt(store, many / 2));
  row(`at ${Math.round(many / 2)} messages a second`, `${percentiles(latencies)} (wanted: p99 below 100)`);
  await overHttp(folder);
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
  const store = await openStore(
    { engine: 'sqlite', file: join(place, 'contact.db') },
    { mailDomain: 'example.com' },
  );
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

/** With one sender, nothing comes at the same time, so each message has a commit of its own. */
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

/** Messages arrive by the clock, whether or not those before them are stored: no queue is hidden. */
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

async function overHttp(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  mkdirSync(dist);
  writeFileSync(join(dist, 'index.html'), '<h1>Home</h1>'.repeat(2_000));
  // The mails wait, and the messages alone are measured.
  const { url } = await serve(dist, dist, { MAIL_PER_HOUR: '1' });
  const posts: number[] = [];
  const pages: number[] = [];
  let failed = 0;
  const startedAt = performance.now();
  const running = () => performance.now() - startedAt < SECONDS * 1000;
  const timed = async (into: number[], call: () => Promise<Response>) => {
    const at = performance.now();
    const response = await call();
    await response.arrayBuffer();
    if (response.ok) into.push(performance.now() - at);
    else failed += 1;
  };
  const senders = Array.from({ length: 64 }, async (_, sender) => {
    for (let count = 0; running(); count += 1) await timed(posts, () => post(url, sender, count));
  });
  const readers = Array.from({ length: 2 }, async () => {
    while (running()) await timed(pages, () => fetch(url));
  });
  await Promise.all([...senders, ...readers]);
  const rate = (list: number[]) => Math.round(list.length / SECONDS);
  row('over HTTP, 64 senders', `${rate(posts)} messages/s, ${percentiles(posts)}, ${failed} failed`);
  row('pages meanwhile', `${rate(pages)} pages/s, ${percentiles(pages)}`);
}

function post(url: string, sender: number, count: number): Promise<Response> {
  return fetch(`${url}${FUNCTIONS_PATH}/${FUNCTION_NAME}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      apikey: DEFAULT_ANON_KEY,
      'x-forwarded-for': `10.${sender}.${(count >> 8) & 255}.${count & 255}`,
    },
    body: JSON.stringify({ ...message(count), name: `Sender ${sender}` }),
  });
}
