import { onTestFinished } from 'vitest';
import { type Fetch, listen } from '../../server/http/listen.ts';

/** Serves an application on a free loopback port until the test ends. */
export async function listenUntilTestEnds(fetch: Fetch): Promise<string> {
  const { port, close } = await listen(fetch, { host: '127.0.0.1', port: 0 });
  onTestFinished(close);
  return `http://127.0.0.1:${port}`;
}
