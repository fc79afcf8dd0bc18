import { once } from 'node:events';
import { type RequestOptions, request } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../../../contract/contact-message.ts';

const PATIENCE_MS = 30_000;
/** Addresses on the server's network, without the server's and this machine's. */
const ADDRESSES = 252;

/** A site by https: its IPv4 address, its name, and the authority of its certificate. */
export type Site = { host: string; port?: number; servername: string; ca: string };

export async function headlineOf(site: Site): Promise<string | undefined> {
  const { body } = await ask(site, { path: '/' });
  return /<h1[^>]*>(.*?)<\/h1>/s.exec(body)?.[1];
}

/** Posts messages from many addresses, each over its own connection, until told to end. */
export function startVisitors(site: Site, { atLeast = 0, everyMs = 40 }) {
  const seen = { posts: 0, refused: [] as string[] };
  let isAsked = false;
  async function visit(index: number): Promise<void> {
    const headers = { 'content-type': 'application/json', apikey: DEFAULT_ANON_KEY };
    const localAddress = site.host.replace(/\d+$/, String(3 + (index % ADDRESSES)));
    const options = { method: 'POST', path: `${FUNCTIONS_PATH}/${FUNCTION_NAME}`, headers, localAddress };
    const typed = { name: 'Ana Souza', email: 'ana@example.org', message: `Message ${index}` };
    const answer = await ask(site, options, JSON.stringify(typed)).then(({ status }) => status, String);
    if (answer !== 200) seen.refused.push(`${index}: ${answer}`);
  }
  const done = (async () => {
    const open: Promise<void>[] = [];
    for (; !isAsked || seen.posts < atLeast; seen.posts += 1) {
      open.push(visit(seen.posts));
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

async function ask(site: Site, options: RequestOptions, body?: string) {
  const headers = { ...options.headers, host: site.servername };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const asked = request({ ...site, ...options, headers, agent: false, signal }).end(body);
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode as number | undefined, body: text };
}
