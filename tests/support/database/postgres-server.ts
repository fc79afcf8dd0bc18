import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';

export type PostgresServer = {
  /** `postgres://user:password@host:port`, without a database name. */
  url: string;
  /** A clean shutdown that disconnects clients. */
  stop(): Promise<void>;
  /** Like a power failure. */
  kill(): Promise<void>;
  /** On the same port, with the same data. */
  start(): Promise<void>;
  close(): Promise<void>;
};

/** A real, empty Postgres on a free loopback port. It always ends with this process. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const password = randomBytes(12).toString('hex');
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'postgres-keeper.ts'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, POSTGRES_TEST_PASSWORD: password },
  });
  const ended = new Promise<void>((resolve) => keeper.once('close', () => resolve()));
  const answers = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  async function answer(): Promise<{ port: number }> {
    const { value } = await answers.next();
    if (!value) throw new Error('Postgres could not be started');
    const said = JSON.parse(value) as { ok: boolean; port: number; error: string };
    if (!said.ok) throw new Error(said.error);
    return said;
  }
  async function ask(command: 'start' | 'stop' | 'kill'): Promise<{ port: number }> {
    keeper.stdin.write(`${command}\n`);
    return answer();
  }
  await answer();
  const { port } = await ask('start');
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}`,
    stop: async () => void (await ask('stop')),
    kill: async () => void (await ask('kill')),
    start: async () => void (await ask('start')),
    async close() {
      keeper.stdin.end();
      await ended;
    },
  };
}

/** Runs statements directly, and returns the last one's rows. */
export async function runSql<Row = Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query(text);
    return [result].flat().at(-1)?.rows as Row[];
  } finally {
    await client.end();
  }
}
