import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { figure, inLongRun } from '../long.ts';

type Came = {
  stories: number;
  hours: number;
  messages: number;
  failed?: { seed: number; fault: string; steps: string[]; story: string[] };
};

/** In a process of its own, whose time is another one's. */
async function play(seed: number, seeds: number): Promise<void> {
  const args = [join(import.meta.dirname, 'simulate.ts'), `--seed=${seed}`, `--seeds=${seeds}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
  const { failed, ...total } = JSON.parse(stdout) as Came;
  figure(`simulation from seed ${seed} on: ${JSON.stringify(total)}`);
  if (failed)
    expect.fail(
      `${failed.fault}\n${failed.steps.join('\n')}\n\n${failed.story.join('\n')}\nTo see it again: node tests/simulation/simulate.ts --seed ${failed.seed}`,
    );
  expect(total.messages).toBeGreaterThan(0);
}

test('whatever happens to the servers, their machine and their mail, no promise is broken', () =>
  play(1, inLongRun(200, 12)));

if (inLongRun(true, false))
  test('nor in stories that nobody has played before', { timeout: 4 * 3_600_000 }, () =>
    play(randomInt(2 ** 31 - 2 ** 20), 500),
  );
