import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { figure, inLongRun } from '../long.ts';
import { PLANTS, type Plant } from './plants.ts';
import type { Kind } from './story.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;

type Came = {
  seeds: number;
  ms: number;
  events: number;
  messages: number;
  mails: number;
  servers: number;
  cpuSeconds: number;
  failed?: { seed: number; fault: string; plan: object; steps: string[]; story: string[] };
};

/** In a process of its own, so that a fault can be planted in the server before it's loaded. */
async function simulate(options: Record<string, string | number>): Promise<Came> {
  const program = join(import.meta.dirname, 'run.ts');
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout);
}

function expectNothingBroken(kind: Kind, { failed }: Came): void {
  if (!failed) return;
  const { seed, fault, plan, steps, story } = failed;
  const short = [`seed ${seed}: ${fault}`, JSON.stringify(plan), ...steps, '', ...story.slice(-60)];
  expect.fail(
    `${short.join('\n')}\nTo see it again: node tests/simulation/run.ts --kind ${kind} --seeds 1 --seed ${seed}`,
  );
}

test.each<[Kind, { seed: number; seeds: number; steps?: number }]>([
  ['dense', { seed: 1, seeds: inLongRun(200, 16) }],
  ['mailbox', { seed: 2, seeds: inLongRun(200, 4) }],
  // Of a week or so.
  ['long', { seed: 1, seeds: inLongRun(50, 5), steps: 40 }],
])(
  'in %s stories, no promise is broken, whatever happens to the server, its machine, its mail, its owner',
  {
    timeout: 2 * HOUR_MS,
  },
  async (kind, options) => {
    expectNothingBroken(kind, await simulate({ kind, ...options }));
  },
);

/** Only in the long run: what a new story finds is news, and no fault of the change that is being tested. */
async function playNew(kind: Kind, seconds: number): Promise<void> {
  const seed = randomInt(2 ** 31 - 2 ** 20);
  const came = await simulate({ kind, seed, seconds });
  const { seeds, ms, messages, mails, servers, cpuSeconds } = came;
  figure(
    `${kind}: ${seeds} seeds from ${seed} on: ${(ms / YEAR_MS).toFixed(2)} simulated years, ${servers} starts of a server, ${messages} messages kept, ${mails} mails; ${Math.round(ms / HOUR_MS / cpuSeconds)} simulated hours per second of processor time`,
  );
  expectNothingBroken(kind, came);
}
if (inLongRun(true, false))
  test('nor in stories that nobody has played before: two cores, an hour', { timeout: 4 * HOUR_MS }, () =>
    Promise.all([playNew('long', 3_500), playNew('dense', 1_750).then(() => playNew('mailbox', 1_750))]),
  );

const SOME: Plant[] = ['a mark that is swallowed', 'a lost lease check'];
const ALL = Object.keys(PLANTS) as Plant[];

test.each(inLongRun(ALL, SOME))('it would notice %s', { timeout: HOUR_MS }, async (plant) => {
  const { kind = 'dense' }: { kind?: Kind; file: string } = PLANTS[plant];
  const { failed, seeds } = await simulate({
    plant,
    kind,
    seed: 1,
    seconds: 300,
    shrink: 0,
    ...(kind === 'long' && { steps: 100 }),
  });
  figure(`${plant}: found by the ${seeds}th seed (${failed?.fault})`);
  expect(failed?.fault).toBeDefined();
});
