import { once } from 'node:events';
import { type RequestOptions, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../../../contract/contact-message.ts';
import type { BareServer } from './bare-server.ts';

const PATIENCE_MS = 30_000;
/** Of those on the server's network, without the server and the laptop. */
const ADDRESSES = 252;

type Visits = { posts: number; pages: number; refused: string[]; longestMs: number };

/** Posts and pages by turns, from many addresses, each over a connection of its own; goes on until the end is asked for. */
export function startVisitors(
  server: BareServer,
  { atLeast = 0, everyMs = 40 },
): { end: () => Promise<Visits> } {
  const seen: Visits = { posts: 0, pages: 0, refused: [], longestMs: 0 };
  const open: Promise<void>[] = [];
  let isAsked = false;
  async function visit(index: number): Promise<void> {
    const isPost = index % 2 === 0;
    const begun = performance.now();
    const localAddress = server.address.replace(/\d+$/, String(3 + ((index >> 1) % ADDRESSES)));
    const from = { localAddress, host: server.address, agent: false } as const;
    const answer = await (isPost ? post(from, `Message ${index}`) : page(from));
    if (answer !== 200) seen.refused.push(`${isPost ? 'post' : 'page'} ${index}: ${answer}`);
    seen[isPost ? 'posts' : 'pages'] += 1;
    seen.longestMs = Math.max(seen.longestMs, performance.now() - begun);
  }
  const done = (async () => {
    for (let index = 0; !isAsked || index < atLeast; index += 1) {
      open.push(visit(index));
      await wait(everyMs);
    }
    await Promise.all(open);
  })();
  return {
    async end() {
      isAsked = true;
      await done;
      return seen;
    },
  };
}

const page = (from: RequestOptions) => answerTo({ ...from, path: '/' });

export const post = (from: RequestOptions, message: string) =>
  answerTo(
    {
      ...from,
      method: 'POST',
      path: `${FUNCTIONS_PATH}/${FUNCTION_NAME}`,
      headers: { 'content-type': 'application/json', apikey: DEFAULT_ANON_KEY },
    },
    JSON.stringify({ name: 'Ana Souza', email: 'ana@example.org', message }),
  );

async function answerTo(options: RequestOptions, body?: string): Promise<number | string> {
  try {
    const asked = request({ ...options, signal: AbortSignal.timeout(PATIENCE_MS) }).end(body);
    const [response] = await once(asked, 'response');
    await once(response.resume(), 'end');
    return response.statusCode;
  } catch (error) {
    return String(error);
  }
}
