import { randomInt } from 'node:crypto';
import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqlite } from '../../server/messages/open.ts';
import { figure, inLongRun } from '../long.ts';
import { temporaryFolder } from '../support/service/open-test-service.ts';
import { startServer, waitingIn } from '../support/service/server-process.ts';
import type { Cut } from './cuts.ts';
import { putBack } from './disk.ts';
import { folderInMemory, idOfMail, isOfMessages, lookAtMessages, promisesOf } from './judge.ts';
import { lookAtCuts } from './look-at-cuts.ts';
import type { Planted } from './plant.ts';
import { openRecorder, type Recording, readFolder, readRecording } from './recording.ts';
import { whyNoStrace } from './system-calls.ts';

const why = whyNoStrace();
if (why) console.log(`No power is cut: ${why}.`);
const withStrace = test.skipIf(why !== undefined);

/** Where a recording that broke a promise is, to be looked at again; its story says how. */
const { POWER_CUT, POWER_SEED } = process.env;

const SEEDS = POWER_SEED
  ? [Number(POWER_SEED)]
  : inLongRun(
      Array.from({ length: 10 }, () => randomInt(1e9)),
      [1],
    );
const STATES = inLongRun(10_000, 2_000);
const BY_A_SERVER = inLongRun(20, 4);

/** Past the end of every lease. */
const LATER = { TEST_CLOCK_SHIFT: String(3 * 60_000) };

async function untilMailed(file: string): Promise<void> {
  await expect.poll(() => waitingIn(file), { timeout: 600_000, interval: 100 }).toBe(0);
}

/** Two starts and all that may happen in between. On some days, SQLite's log grows until it's written back. */
async function recordDay(seed: number, planted?: Planted): Promise<Recording> {
  const recorder = openRecorder({ planted });
  const isBig = inLongRun(seed % 6 === 0, false);
  const long = isBig ? '🚚'.repeat(9_900) : 'ü'.repeat(2_000);
  const texts = (day: number, count: number) =>
    Array.from({ length: count }, (_, nth) => {
      // Texts that differ only in numbers are taken for copies, and held as spam.
      const word = 'd'.repeat(day) + 'n'.repeat(nth + 1);
      return `Day ${day}, ${nth}: ${word} ${nth % 3 === 0 ? long : 'Hello.'}`;
    });
  const first = await recorder.start();
  const sent = await Promise.all(
    texts(1, isBig ? 50 : 12 + (seed % 4)).map((text) => recorder.send(first, text)),
  );
  await Promise.all([
    recorder.backUp('copy.db'),
    recorder.backUp('copy.zip'),
    ...texts(2, 3).map((text) => recorder.send(first, text)),
  ]);
  // Else the mail could be on its way, and come after the word that all's erased.
  await untilMailed(recorder.file);
  await recorder.erase(sent[0] ?? '');
  for (const text of texts(3, 3)) await recorder.send(first, text);
  first.kill('SIGTERM');
  expect(await first.exited).toBe(0);
  const second = await recorder.start();
  await Promise.all(texts(4, 4).map((text) => recorder.send(second, text)));
  second.kill('SIGTERM');
  expect(await second.exited).toBe(0);
  return recorder.finish();
}

function lookAtFiles(recording: Recording, seed: number, states: number) {
  const { folder } = recording;
  const place = folderInMemory();
  const isMessages = isOfMessages(folder);
  const claimed = new Map<string, Set<string>>();
  return lookAtCuts(recording, {
    seed,
    states,
    isMessages,
    look({ state }) {
      putBack(state, folder, place, isMessages);
      return lookAtMessages(join(place, 'data/contact.db'), claimed);
    },
  });
}

/** Starts the server on what was left, and returns the messages that were answered 200 before and aren't mailed. */
async function notMailed(recording: Recording, { after, state }: Cut): Promise<string[]> {
  const home = temporaryFolder();
  const disk = join(home, 'disk');
  putBack(state, recording.folder, disk);
  const file = join(disk, 'data/contact.db');
  const env = {
    DATABASE_URL: `file:${file}`,
    MAIL_DIR: join(disk, 'mail'),
    ...LATER,
  };
  const server = await startServer(home, env);
  await untilMailed(file);
  server.kill('SIGKILL');
  await server.exited;
  const { answered, gone } = promisesOf(recording);
  const expected = [...answered].filter(([id, at]) => at <= after.at && !gone.has(id)).map(([id]) => id);
  const mailed = expected.length > 0 ? readdirSync(join(disk, 'mail')).map(idOfMail) : [];
  return expected.filter((id) => !mailed.includes(id));
}

withStrace(
  'whatever a power cut leaves on the disk: all that was answered 200 is there, whole, once, and is mailed',
  {
    timeout: inLongRun(4 * 3_600_000, 600_000),
  },
  async () => {
    const startedAt = performance.now();
    let all = 0;
    let servers = 0;
    for (const seed of SEEDS) {
      const recording = POWER_CUT ? readRecording(POWER_CUT) : await recordDay(seed);
      for (const each of [seed, seed + 1]) {
        const { states, some, broken } = await lookAtFiles(recording, each, STATES / 2);
        if (broken) {
          expect.fail(
            `${broken}\nAgain: ${inLongRun('LONG_TESTS=1 ', '')}POWER_CUT=${POWER_CUT ?? recording.keep()} POWER_SEED=${seed} npx vitest run tests/power`,
          );
        }
        all += states;
        // Spread over the day.
        const every = Math.ceil((2 * some.length) / BY_A_SERVER);
        for (const cut of some.filter((_, nth) => nth % every === 0)) {
          servers += 1;
          expect(await notMailed(recording, cut)).toEqual([]);
        }
      }
    }
    expect(all).toBeGreaterThanOrEqual((SEEDS.length * STATES * 9) / 10);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const told = `${all} disks after power cuts, ${servers} of them by a whole server, from ${SEEDS.length} days, in ${seconds} s`;
    console.log(`  ${told}`);
    figure(`${told}; seeds ${SEEDS.join(', ')}`);
  },
);

const FULL = "sqlite.pragma('synchronous = FULL');";
const PLANTED: [fault: string, planted: Planted, story: RegExp][] = [
  [
    'synchronous=NORMAL',
    { file: 'server/messages/sqlite/sqlite.ts', change: [[FULL, FULL.replace('FULL', 'NORMAL')]] },
    /answered 200 by call \d+, is missing/,
  ],
  [
    'synchronous=OFF',
    { file: 'server/messages/sqlite/sqlite.ts', change: [[FULL, FULL.replace('FULL', 'OFF')]] },
    /answered 200 by call \d+, is missing|damaged/,
  ],
  [
    'an answer before the commit',
    {
      file: 'server/messages/sqlite/sqlite.ts',
      change: [
        ["sqlite.exec('begin immediate');", "if (!sqlite.inTransaction) sqlite.exec('begin immediate');"],
        ["sqlite.exec('commit');", "setTimeout(() => sqlite.inTransaction && sqlite.exec('commit'), 50);"],
        ["if (sqlite.inTransaction) sqlite.exec('rollback');", ''],
      ],
    },
    /answered 200 by call \d+, is missing/,
  ],
  [
    'a new folder whose name isn’t synced',
    { file: 'server/messages/sync.ts', change: [['sync(dirname(each));', ';']] },
    /answered 200 by call \d+, is missing/,
  ],
  [
    'a mail that isn’t synced',
    { file: 'settings/replace-file.ts', change: [['await file.sync();', '']] },
    /\.eml isn’t whole/,
  ],
];

withStrace.for(PLANTED)('a planted fault is found: %s', async ([_, planted, wanted]) => {
  const recorder = openRecorder({ planted });
  const server = await recorder.start();
  await Promise.all(['one', 'two', 'three'].map((text) => recorder.send(server, text)));
  // Or there'd be no mail to lose. With other faults the outbox may never get so far.
  if (planted.file === 'settings/replace-file.ts') await untilMailed(recorder.file);
  server.kill('SIGTERM');
  await server.exited;
  const { broken } = await lookAtFiles(recorder.finish(), 2, 500);
  expect(broken).toMatch(wanted);
});

/** Each takes a whole day. */
const PLANTED_IN_A_DAY: typeof PLANTED = [
  [
    'an emptied log that isn’t synced',
    { file: 'server/messages/erase.ts', change: [['(file)}-wal', '(file)}-none']] },
    /erased by call \d+, is still in data\/contact\.db-wal/,
  ],
  [
    'an erased mail whose folder isn’t synced',
    { file: 'server/messages/erase.ts', change: [['if (erased > 0) sync(folder);', '']] },
    /erased by call \d+, is still in mail\//,
  ],
  [
    'a backup whose folder isn’t synced',
    { file: 'desk/output-file.ts', change: [['sync(dirname(path));', '']] },
    /the backup copy\.\w+ is missing/,
  ],
  [
    'a mail whose folder isn’t synced',
    { file: 'settings/replace-file.ts', change: [['await handle.sync();', '']] },
    /marked as mailed, and its mail is missing/,
  ],
];

withStrace.for(inLongRun(PLANTED_IN_A_DAY, []))(
  'a planted fault is found: %s',
  async ([_, planted, wanted]) => {
    const { broken } = await lookAtFiles(await recordDay(1, planted), 2, 1_000);
    expect(broken).toMatch(wanted);
  },
);

withStrace('a planted fault is found: a backup that gets its name before it is synced', async () => {
  const synced = `await fsync(unfinished);
        await giveName(unfinished, path);`;
  const folder = join(realpathSync(temporaryFolder()), 'disk');
  const database = await openSqlite(join(folder, 'data/contact.db'));
  await database.close();
  const recorder = openRecorder({
    folder,
    start: readFolder(folder),
    planted: {
      file: 'desk/output-file.ts',
      change: [[synced, synced.split('\n').toReversed().join('\n')]],
    },
  });
  await recorder.backUp('copy.zip');
  const { broken } = await lookAtFiles(recorder.finish(), 2, 500);
  expect(broken).toMatch(/copy\.zip isn’t whole/);
});
