import { once } from 'node:events';
import { type RequestOptions, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../../../contract/contact-message.ts';
import type { BareServer } from './bare-server.ts';

const PATIENCE_MS = 30_000;
/** Those on the server's network that are neither the server nor the laptop. */
const ADDRESSES = 252;

export async function headlineOf({ address }: BareServer): Promise<string | undefined> {
  const page = await fetch(`http://${address}`);
  return /<h1[^>]*>(.*?)<\/h1>/s.exec(await page.text())?.[1];
}

/** The ports that somebody else can reach. */
export async function openPorts({ run }: BareServer): Promise<string[]> {
  const listening = (await run('ss -Hltn; ss -Hlun')).match(/(?<=\s)\S+:\d+(?=\s)/g) ?? [];
  const beyond = listening.filter((address) => !/^(127\.|\[::1\])/.test(address));
  return [...new Set(beyond.map((address) => address.replace(/.*:/, '')))].sort();
}

/** Posts and pages by turns, from many addresses, each over a connection of its own; goes on until the end is asked for. */
export function startVisitors(server: BareServer, { atLeast = 0, everyMs = 40 }) {
  const seen = { visits: 0, posts: 0, refused: [] as string[], longestMs: 0 };
  let isAsked = false;
  async function visit(index: number): Promise<void> {
    const begun = performance.now();
    const localAddress = server.address.replace(/\d+$/, String(3 + ((index >> 1) % ADDRESSES)));
    const from = { localAddress, host: server.address };
    const answer = await (index % 2 === 0
      ? post(from, `Message ${index}`)
      : answerTo({ ...from, path: '/' }));
    if (answer !== 200) seen.refused.push(`${index}: ${answer}`);
    seen.longestMs = Math.max(seen.longestMs, Math.round(performance.now() - begun));
  }
  const done = (async () => {
    const open: Promise<void>[] = [];
    for (; !isAsked || seen.visits < atLeast; seen.visits += 1) {
      open.push(visit(seen.visits));
      await wait(everyMs);
    }
    await Promise.all(open);
  })();
  return {
    async end() {
      isAsked = true;
      await done;
      return { ...seen, posts: Math.ceil(seen.visits / 2) };
    },
  };
}

export function post(from: RequestOptions, message: string): Promise<number | string> {
  const headers = { 'content-type': 'application/json', apikey: DEFAULT_ANON_KEY };
  const path = `${FUNCTIONS_PATH}/${FUNCTION_NAME}`;
  const body = { name: 'Ana Souza', email: 'ana@example.org', message };
  return answerTo({ ...from, method: 'POST', path, headers }, JSON.stringify(body));
}

async function answerTo(options: RequestOptions, body?: string): Promise<number | string> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const [response] = await once(request({ ...options, agent: false, signal }).end(body), 'response');
    await once(response.resume(), 'end');
    return response.statusCode;
  } catch (error) {
    return String(error);
  }
}
