import { randomInt } from 'node:crypto';
import { chmodSync, lchownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../server/messages/open.ts';
import { figure, inLongRun } from '../long.ts';
import { temporaryFolder } from '../support/open-test-service.ts';
import { runSql, startPostgres } from '../support/postgres-server.ts';
import { putBack } from './disk.ts';
import { type Found, folderInMemory, lookAtMessages } from './judge.ts';
import { lookAtCuts } from './look.ts';
import { openRecorder, readFolder } from './recording.ts';
import { tracer, whyNoStrace } from './system-calls.ts';

const withStrace = test.skipIf(whyNoStrace() !== undefined);

const STATES = inLongRun(300, 12);

/** What a Postgres and a server do to the folder of Postgres, and how to look at what a power cut leaves of it. */
async function recordPostgres() {
  const place = folderInMemory();
  chmodSync(place, 0o755);
  const postgres = await startPostgres({ place, strace: tracer() });
  onTestFinished(() => postgres.close());
  const url = `${postgres.url}/postgres`;
  // What's there when it has ended in order, the tables among it, is taken to be there for good: Postgres doesn't sync
  // the names of a new table's files before its next checkpoint.
  await (await openDatabase({ engine: 'postgres', url })).close();
  await postgres.stop();
  const start = readFolder(postgres.data);
  const log = await postgres.trace();
  const env = { DATABASE_URL: url, MAIL_DIR: join(temporaryFolder(), 'mail') };
  const recorder = openRecorder({ folder: postgres.data, start, env });
  recorder.addLog(log);
  const server = await recorder.start();
  const send = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, nth) =>
        // Each in other letters: the same words from several senders are held back.
        recorder.send(
          server,
          `${String.fromCodePoint(0x4e00 + 100 * count + nth)}: ${'ü'.repeat(nth % 3 === 0 ? 8_000 : 10)}`,
        ),
      ),
    );
  await send(inLongRun(20, 6));
  // After it, whole pages go to its log again.
  await runSql(url, 'checkpoint');
  await send(inLongRun(21, 7));
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  await postgres.kill();
  const recording = recorder.finish();

  const { uid, gid } = statSync(postgres.data);
  return {
    recording,
    async look({ state }: Parameters<Parameters<typeof lookAtCuts>[1]['look']>[0]): Promise<Found> {
      // Its number may by now be another process's, which Postgres would take for one of its own. A cut in the first
      // moments of a start can also leave it empty; Postgres then asks for it to be removed.
      putBack(state, postgres.data, postgres.data, (path) => !path.endsWith('/postmaster.pid'));
      for (const path of ['', ...readdirSync(postgres.data, { recursive: true, encoding: 'utf8' })])
        lchownSync(join(postgres.data, path), uid, gid);
      chmodSync(postgres.data, 0o700);
      try {
        await postgres.start();
      } catch (error) {
        return { fault: `Postgres doesn’t start: ${(error as Error).message}` };
      }
      const found = await lookAtMessages({ engine: 'postgres', url });
      await postgres.kill();
      return found;
    },
  };
}

withStrace(
  'whatever a power cut leaves of the files of Postgres, every message answered 200 is there',
  {
    timeout: inLongRun(2 * 3_600_000, 600_000),
  },
  async () => {
    const startedAt = performance.now();
    const { recording, look } = await recordPostgres();
    const seed = inLongRun(randomInt(1e9), 2);
    const options = { seed, states: STATES, look };
    const { states, broken } = await lookAtCuts(recording, options);
    if (broken) expect.fail(broken);
    // Not in vain: a Postgres that doesn't sync its log is found out.
    const careless = recording.calls.filter(
      ({ kind, what }) => kind !== 'sync' || !what.includes('/pg_wal/'),
    );
    const found = await lookAtCuts({ ...recording, calls: careless }, options);
    expect(found.broken).toMatch(/answered 200 by call \d+, is missing/);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(`  ${states} disks of Postgres after power cuts, in ${seconds} s`);
    figure(`${states} disks of Postgres after power cuts, in ${seconds} s; seed ${seed}`);
  },
);
