import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg';
import type { Clock } from './clock.ts';
import { codeOf } from './store-error.ts';

/** The pause before each try for a first connection while others hold them all. */
const FULL_PAUSE_MS = 100;
/** Long enough that processes sharing a database that's short of connections rarely crowd it all at once. */
const SHORTAGE_MS = 60_000;

/**
 * If Postgres asks for a password and there's none, the driver leaves the connection open, and a program that has nothing
 * else to do would end only when Postgres closes it, after a minute.
 */
class ClosingClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.connection.on('error', () => this.connection.stream.destroy());
  }
}

type Admitted = (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void;

/**
 * A pool that can be shut, and that shares: when the database runs out of connections, it makes do with one for a
 * minute and gives the rest back to other processes and the owner's desk.
 */
export class SharingPool extends Pool {
  /** While set, nobody gets a connection. */
  shutBy: Error | undefined;
  readonly #most: number;
  readonly #patienceMs: number;
  readonly #clock: Clock;
  #shortUntil = Number.NEGATIVE_INFINITY;
  #search: Promise<void> | undefined;
  #lent = 0;

  constructor(config: PoolConfig & { patienceMs: number; clock: Clock }) {
    super({ ...config, Client: ClosingClient });
    this.#most = this.options.max ?? 10;
    this.#patienceMs = config.patienceMs;
    this.#clock = config.clock;
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
    if (this.#clock.ticks() >= this.#shortUntil) this.options.max = this.#most;
    const until = this.#clock.ticks() + this.#patienceMs;
    for (;;) {
      try {
        await this.#search;
        return this.#lend(await super.connect());
      } catch (error) {
        if (!isFull(error) || this.#clock.ticks() > until) throw error;
      }
      this.#makeDo();
      // If one of ours is in use, the next try waits for that. If not, one search runs for everyone waiting. The pool's
      // own count wouldn't do, since it includes those that are just being refused.
      if (this.#lent > 0) continue;
      this.#search ??= this.#findOne().finally(() => {
        this.#search = undefined;
      });
    }
  }

  async #findOne(): Promise<void> {
    await this.#clock.wait(FULL_PAUSE_MS);
    (await super.connect()).release();
  }

  #makeDo(): void {
    this.options.max = 1;
    this.#shortUntil = this.#clock.ticks() + SHORTAGE_MS;
  }

  #lend(client: PoolClient): PoolClient {
    const { release } = client;
    this.#lent += 1;
    client.release = (broken) => {
      this.#lent -= 1;
      release(broken || this.totalCount > (this.options.max ?? this.#most));
    };
    return client;
  }
}

/** Goes by Postgres's own code. Poolers reuse one code for many errors, so theirs are matched by their words. */
export function isFull(error: unknown): boolean {
  return (
    codeOf(error) === '53300' ||
    // PgBouncer, then Supabase's Supavisor.
    /no more connections allowed|client connections exceeded|max client(s| connections) reached/i.test(
      String(error),
    )
  );
}
