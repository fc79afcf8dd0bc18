import { setTimeout as wait } from 'node:timers/promises';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { codeOf } from './store-error.ts';

/** Before each try for a first connection, while others hold all that there are. */
const FULL_PAUSE_MS = 100;
/** Long enough that the processes on a database that's short of connections rarely crowd it together. */
const SHORTAGE_MS = 60_000;

type Admitted = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

/**
 * A pool that can be shut, and that shares: when the database has no connection left for it, it makes do with one
 * for a minute and gives the others back, so that other processes and the owner's desk get theirs.
 */
export class SharingPool extends Pool {
  /** Nobody gets a connection as long as it's set. */
  shutBy: Error | undefined;
  readonly #most: number;
  readonly #patienceMs: number;
  #shortage: NodeJS.Timeout | undefined;
  #search: Promise<void> | undefined;

  constructor(config: PoolConfig & { patienceMs: number }) {
    super(config);
    this.#most = this.options.max ?? 10;
    this.#patienceMs = config.patienceMs;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Admitted): void;
  override connect(callback?: Admitted): Promise<PoolClient> | undefined {
    const connecting = this.#connect();
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => undefined),
    );
  }

  async #connect(): Promise<PoolClient> {
    if (this.shutBy) throw this.shutBy;
    const until = performance.now() + this.#patienceMs;
    for (;;) {
      try {
        await this.#search;
        return this.#lend(await super.connect());
      } catch (error) {
        if (!isFull(error) || performance.now() > until) throw error;
      }
      this.#makeDo();
      // With one of our own in use, the next try waits for that. Without, one looks for all who wait.
      if (this.totalCount > 0) continue;
      this.#search ??= this.#findOne().finally(() => {
        this.#search = undefined;
      });
    }
  }

  async #findOne(): Promise<void> {
    await wait(FULL_PAUSE_MS);
    (await super.connect()).release();
  }

  #makeDo(): void {
    this.options.max = 1;
    clearTimeout(this.#shortage);
    this.#shortage = setTimeout(() => {
      this.options.max = this.#most;
    }, SHORTAGE_MS).unref();
  }

  #lend(client: PoolClient): PoolClient {
    const { release } = client;
    client.release = (broken) => release(broken || this.totalCount > (this.options.max ?? this.#most));
    return client;
  }
}

/** By its own code from Postgres. Poolers have one code for much, so theirs is known by its words. */
export function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    codeOf(error) === '53300' ||
    // PgBouncer, then Supabase's Supavisor.
    /no more connections allowed|client connections exceeded|max client(s| connections) reached/i.test(
      error.message,
    )
  );
}
