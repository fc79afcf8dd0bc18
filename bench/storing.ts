import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import type { Served } from './servers.ts';
import { row, spread } from './spread.ts';

const SECONDS = 4;
const AT_ONCE = 50;

/** How many messages a second are posted and acknowledged, each in a commit of its own, on the disk of the data folder. */
export async function storing({ url }: Served, runs: number): Promise<void> {
  const rates: number[] = [];
  for (let run = 0; run < runs; run += 1) rates.push(await rateOf(url, run));
  row('POST per second, each with its commit', `${spread(rates)} (wanted: at least 300)`);
}

async function rateOf(url: string, run: number): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  const send = async () => {
    while (performance.now() - startedAt < SECONDS * 1000) {
      count += 1;
      const message = `${run}, ${count}: ${'stock '.repeat(60)}`;
      const { status } = await fetch(`${url}${FUNCTIONS_PATH}/${FUNCTION_NAME}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          apikey: DEFAULT_ANON_KEY,
          'x-forwarded-for': `10.${run}.${count >> 8}.${count & 255}`,
        },
        body: JSON.stringify({ name: 'Ana Souza', email: 'ana@example.org', message }),
      });
      if (status !== 200) throw new Error(`answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return count / ((performance.now() - startedAt) / 1000);
}
