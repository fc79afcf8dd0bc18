import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteFile } from '../server/messages/sqlite/sqlite.ts';
import { createStore } from '../server/messages/store.ts';
import { median, row, spread } from './spread.ts';

const SECONDS = 4;
const ROUNDS = 3;
const AT_ONCE = 500;

/** How many messages a second are durably stored on the disk of `folder`: a commit each by turns with group commit. */
export async function storing(folder: string): Promise<void> {
  const [each, shared]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    each.push(await rateOf(folder, 1));
    shared.push(await rateOf(folder, AT_ONCE));
  }
  row('messages a second, a commit each', spread(each));
  row(`group commit, ${AT_ONCE} at once`, spread(shared));
  const ratio = median(shared) / median(each);
  row('ratio', `${ratio.toFixed(1)} (wanted: at least 10, on a disk with a slow fsync)`);
}

/** With a single sender, each message gets its own commit. */
async function rateOf(folder: string, senders: number): Promise<number> {
  const database = await openSqliteFile(join(mkdtempSync(join(folder, 'store-')), 'contact.db'));
  const store = createStore(database, { mailDomain: 'example.com' });
  const startedAt = performance.now();
  let count = 0;
  const send = async () => {
    while (performance.now() - startedAt < SECONDS * 1000) {
      count += 1;
      const message = `${count} ${'stock '.repeat(60)}`;
      await store.add({ name: 'Ana Souza', email: 'ana@example.org', message }, { now: Date.now() });
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
  const seconds = (performance.now() - startedAt) / 1000;
  await store.close();
  return count / seconds;
}
