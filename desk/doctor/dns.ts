import { Resolver } from 'node:dns/promises';

/** The DNS could not be asked: no answer, or one that says only that it has none now. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
}

export type Lookup = {
  /** Each TXT record as one text; empty when there is none. `undefined`: the name itself does not exist. */
  txt(name: string): Promise<string[] | undefined>;
  /** Hosts that take mail for the domain. */
  mx(name: string): Promise<string[] | undefined>;
  /** Whether the name has an IPv4 or IPv6 address. */
  hasAddress(name: string): Promise<boolean>;
};

/** Waits for each server that often; c-ares doubles the wait at the second. */
const ASK = { timeout: 1_500, tries: 2 };

/**
 * @param server address of a DNS server, with a port if it is not 53; undefined is the machine's own
 * @throws NoAnswer from each of the questions
 */
export function openLookup(server: string | undefined, signal: AbortSignal, ask = ASK): Lookup {
  const resolver = new Resolver(ask);
  if (server) resolver.setServers([server]);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });

  async function answer<T>(question: () => Promise<T[]>): Promise<T[] | undefined> {
    try {
      return await question();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code === 'ENODATA') return [];
      if (code === 'ENOTFOUND') return undefined;
      throw new NoAnswer(code, { cause: error });
    }
  }

  return {
    async txt(name) {
      return (await answer(() => resolver.resolveTxt(name)))?.map((parts) => parts.join(''));
    },
    async mx(name) {
      const records = await answer(() => resolver.resolveMx(name));
      return records?.toSorted((a, b) => a.priority - b.priority).map(({ exchange }) => exchange);
    },
    async hasAddress(name) {
      const answers = await Promise.all([
        answer(() => resolver.resolve4(name)),
        answer(() => resolver.resolve6(name)),
      ]);
      return answers.some((addresses) => addresses && addresses.length > 0);
    },
  };
}
