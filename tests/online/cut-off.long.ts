import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { figure } from '../long.ts';
import { type BareServer, bootBareServer, whyNotHere } from '../support/server/bare-server.ts';
import { type Laptop, newLaptop } from '../support/server/laptop.ts';
import { startVisitors } from '../support/server/visitors.ts';
import { randomFrom } from '../support/service/random.ts';

const HERS = { CONTACT_EMAIL: 'ada@blueprint-operations.com' };

type Run = ReturnType<Laptop['start']>;
type Cut = (server: BareServer, run: Run) => unknown;

/** What a visitor must not notice. */
const UNNOTICED: Record<string, Cut> = {
  'laptop closed': (_, run) => run.child.kill('SIGKILL'),
  'kill -9 on the server': (server) => server.run("pkill -KILL -f '[o]n-server.sh'").catch(() => undefined),
};
const NOTICED: Record<string, Cut> = {
  async 'network cut'(server, run) {
    server.cutNetwork();
    await run.exited;
    server.restoreNetwork();
  },
  reboot: (server) => server.reboot(),
  'plug pulled': (server) => server.reboot({ plug: true }),
};
const CUTS = Object.entries({ ...UNNOTICED, ...NOTICED });

describe.skipIf(whyNotHere())('npm run online, cut off', () => {
  let server: BareServer;
  let laptop: Laptop;
  beforeEach(async () => {
    server = await bootBareServer();
    laptop = newLaptop(server);
    laptop.settings({ ...HERS, SERVER: server.address });
  });
  afterEach(async () => {
    laptop.end();
    await server.end();
  });
  const headline = async () =>
    /<h1[^>]*>(.*?)<\/h1>/s.exec(await (await fetch(`http://${server.address}`)).text())?.[1];
  const write = (words: string) => laptop.words({ hero: { headline: words } });

  async function cutOff(seed: number, cut: Cut, mostSeconds: number): Promise<string> {
    const run = laptop.start('desk/online/online.ts', ['--yes']);
    await run.says(/Sending it/);
    const seconds = randomFrom(seed)() * mostSeconds;
    await wait(seconds * 1000);
    await cut(server, run);
    await run.exited;
    return `after ${seconds.toFixed(1)} s, at “${run.out().trim().split('\n').at(-1)}”`;
  }

  test('wherever the first run on a bare server is cut off, the next ones go on', async () => {
    const begun = Date.now();
    write('Words');
    for (const [index, [name, cut]] of CUTS.entries())
      figure(`${name} ${await cutOff(begun + index, cut, 8)}, seed ${begun + index}`);
    const { code, out, seconds } = await laptop.online();
    expect([code, out]).toEqual([0, expect.stringContaining('It’s at http')]);
    expect(await headline()).toBe('Words');
    figure(`the run after five that were cut off: ${seconds.toFixed(0)} s`);
  });

  test('wherever an update is cut off, the site goes on serving, and the next run goes on', async () => {
    const begun = Date.now();
    write('Words 0');
    expect((await laptop.online()).code).toBe(0);
    for (let round = 1; round <= 10; round += 1) {
      const [name, cut] = CUTS[round % CUTS.length] ?? expect.fail();
      write(`Words ${round}`);
      const visitors = startVisitors(server, { everyMs: 400 });
      const where = await cutOff(begun + round, cut, 10);
      expect([`Words ${round - 1}`, `Words ${round}`]).toContain(await headline());
      const { code, out, seconds } = await laptop.online();
      const { refused, posts, pages } = await visitors.end();
      figure(
        `${name} ${where}, seed ${begun + round}; next run ${seconds.toFixed(0)} s; ${refused.length} of ${posts + pages} refused`,
      );
      expect([code, out, await headline()]).toEqual([0, expect.any(String), `Words ${round}`]);
      if (name in UNNOTICED) expect(refused).toEqual([]);
    }
    const left = await server.run(
      'cd /opt/blueprint-operations; ls -d incoming/* packages/*.new releases/*.new; ls releases',
    );
    expect(left.trim().split('\n').length).toBeLessThanOrEqual(7);
  });

  test('a full disk is said, takes nothing from visitors, and the next run goes on', async () => {
    write('Words 0');
    expect((await laptop.online()).code).toBe(0);
    write('Words 1');
    await server.fillDisk();
    const full = await laptop.online();
    expect([full.code, full.out]).toEqual([1, expect.stringMatching(/disk|space/i)]);
    expect(await headline()).toBe('Words 0');
    // Enough to begin with, and too little in the end.
    for (const left of [5, 20, 305]) {
      await server.emptyDisk();
      await server.fillDisk(left << 20);
      await laptop.online();
      expect(['Words 0', 'Words 1']).toContain(await headline());
    }
    await server.emptyDisk();
    expect((await laptop.online()).code).toBe(0);
    expect(await headline()).toBe('Words 1');
  });

  test('of two at once, one waits for the other and says so', async () => {
    write('Words 0');
    const runs = await Promise.all([laptop.online(), laptop.online()]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    expect(runs.map(({ out }) => out).join()).toContain('Another run is busy');
    expect(await headline()).toBe('Words 0');
  });
});
