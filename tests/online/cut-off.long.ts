import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { figure } from '../long.ts';
import { describeOnline, type Site } from '../support/server/laptop.ts';
import { headlineOf, startVisitors } from '../support/server/visitors.ts';
import { randomFrom } from '../support/service/random.ts';

const SEED = Date.now();
type Cut = (site: Site, run: ReturnType<Site['laptop']['start']>) => unknown;

/** What visitors must not notice. */
const UNNOTICED: Record<string, Cut> = {
  'laptop closed': (_, { child }) => child.kill('SIGKILL'),
  'kill -9 on the server': ({ server }) => server.run("pkill -KILL -f '[o]n-server.sh'").catch(() => {}),
};
const CUTS: [string, Cut][] = Object.entries({
  ...UNNOTICED,
  async 'network cut'({ server }, { exited }) {
    server.setNetwork('down');
    await exited;
    server.setNetwork('up');
  },
  reboot: ({ server }) => server.reboot(),
  'plug pulled': ({ server }) => server.reboot({ plug: true }),
});

/** Returns where it was. */
async function cutOff(site: Site, seed: number, cut: Cut, mostSeconds: number): Promise<string> {
  const run = site.laptop.start('desk/online/online.ts', ['--yes']);
  await run.says(/Sending it/);
  const ms = Math.round(randomFrom(seed)() * mostSeconds * 1000);
  await wait(ms);
  const line = run.out().trim().split('\n').at(-1);
  await cut(site, run);
  await run.exited;
  return `after ${ms} ms (seed ${seed}), at “${line}”`;
}

describeOnline('npm run online, cut off', (site) => {
  async function goesOnline(headline: string): Promise<number> {
    const { code, out, seconds } = await site.laptop.online();
    expect([code, out, await headlineOf(site.server)]).toEqual([0, expect.any(String), headline]);
    return seconds;
  }

  test('wherever the first run on a bare server is cut off, the next ones go on', async () => {
    site.laptop.settings(site.server);
    site.laptop.words('Words 0');
    for (const [index, [name, cut]] of CUTS.entries())
      figure(`first run: ${name} ${await cutOff(site, SEED + index, cut, 5)}`);
    figure(`the run after these: ${await goesOnline('Words 0')} s`);
  });

  test('wherever an update is cut off, the site goes on serving, and the next run goes on', async () => {
    let seconds = 10;
    for (let round = 1; round <= 10; round += 1) {
      const [name, cut] = CUTS[round % CUTS.length] ?? expect.fail();
      site.laptop.words(`Words ${round}`);
      const visitors = startVisitors(site.server, { everyMs: 400 });
      const where = await cutOff(site, SEED + 10 + round, cut, 0.7 * seconds);
      expect([`Words ${round - 1}`, `Words ${round}`]).toContain(await headlineOf(site.server));
      seconds = await goesOnline(`Words ${round}`);
      const { refused, visits } = await visitors.end();
      figure(`${name} ${where}; next run ${seconds} s; ${refused.length} of ${visits} refused`);
      if (name in UNNOTICED) expect(refused).toEqual([]);
    }
    const left = await site.server.run(
      'cd /opt/blueprint-operations; ls -d incoming/* packages/*.new releases/*.new 2> /dev/null; ls releases',
    );
    expect(left.trim().split('\n').length).toBeLessThanOrEqual(7);
  });

  test('a full disk is said, takes nothing from visitors, and the next run goes on', async () => {
    site.laptop.words('Words 11');
    await site.server.fillDisk(1);
    const { code, out } = await site.laptop.online();
    expect([code, out]).toEqual([1, expect.stringMatching(/disk|space/i)]);
    expect(await headlineOf(site.server)).toBe('Words 10');
    // Too little to begin with, and enough to begin with.
    for (const left of [20, 302]) {
      await site.server.fillDisk(left);
      await site.laptop.online();
      expect(['Words 10', 'Words 11']).toContain(await headlineOf(site.server));
    }
    await site.server.run('rm /filled');
    await goesOnline('Words 11');
  });

  test('of two at once, one waits for the other and says so', async () => {
    const runs = await Promise.all([site.laptop.online(), site.laptop.online()]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(runs.map(({ out }) => out).join()).toContain('Another run is busy');
    expect(await headlineOf(site.server)).toBe('Words 11');
  });
});
