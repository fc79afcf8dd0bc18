import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { figure } from '../long.ts';
import { type BareServer, bootBareServer, whyNotHere } from '../support/server/bare-server.ts';
import { type Laptop, newLaptop } from '../support/server/laptop.ts';
import { startVisitors } from '../support/server/visitors.ts';

const SECRET = 'hunter2-hunter2-hunter2-hunter2';
const HERS = { CONTACT_EMAIL: 'ada@blueprint-operations.com', SWEEP_SECRET: SECRET };
const HEADLINE = 'Words that are only hers';
const DESK = 'sh /opt/blueprint-operations/current/deploy/on-server.sh desk';

const why = whyNotHere();
// In their order: each goes on where the one before it ended.
describe.skipIf(why)(`npm run online, on a bare Debian${why ? ` (${why})` : ''}`, () => {
  let server: BareServer;
  let laptop: Laptop;
  beforeAll(async () => {
    server = await bootBareServer();
    laptop = newLaptop(server);
    await server.run(
      "systemd-run -q sh -c 'while sleep 0.1; do cat /proc/[0-9]*/cmdline; done > /root/command-lines 2> /dev/null'",
    );
  });
  afterAll(async () => {
    laptop?.end();
    await server?.end();
  });
  const headline = async () =>
    /<h1[^>]*>(.*?)<\/h1>/s.exec(await (await fetch(`http://${server.address}`)).text())?.[1];

  test('a bare server is online after one command and two answers, and listens to nobody else', async () => {
    laptop.settings(HERS);
    const { code, out, seconds } = await laptop.online([], [server.address, '', 'y']);
    figure(`bare to online: ${seconds.toFixed(0)} s, 3 questions`);
    expect([code, out]).toEqual([0, expect.stringContaining(`It’s at http://${server.address}/`)]);
    expect(await headline()).toBe('Fix What’s Slowing Your Business Down.');
    const listening = (await server.run('ss -Hltn; ss -Hlun')).match(/(?<=\s)\S+:\d+(?=\s)/g) ?? [];
    const beyond = listening.filter((address) => !/^(127\.|\[::1\])/.test(address));
    expect([...new Set(beyond.map((address) => address.replace(/.*:/, '')))].sort()).toEqual(['22', '80']);
  });

  test('the settings are for root and the site alone, and the doctor there agrees', async () => {
    const file = await server.run('stat -Lc "%a %U %G" /opt/blueprint-operations/current/.env');
    expect(file.trim()).toBe('640 root blueprint');
    expect(await server.run(`${DESK} doctor file-rights`)).toMatch(/ ok {2,}File rights/);
  });

  test('nobody is refused while changed words go online', async () => {
    laptop.words({ hero: { headline: HEADLINE } });
    const visitors = startVisitors(server, { atLeast: 400 });
    const { code, out, seconds } = await laptop.online();
    const { posts, pages, refused, longestMs } = await visitors.end();
    figure(
      `changed words: ${seconds.toFixed(0)} s, ${refused.length} of ${posts + pages} refused, longest wait ${longestMs.toFixed(0)} ms`,
    );
    expect([code, out, refused]).toEqual([0, expect.stringContaining('hero.headline'), []]);
    expect(await headline()).toBe(HEADLINE);
    const stored = JSON.parse(await server.run(`${DESK} list --json`));
    expect(stored).toHaveLength(posts);
  });

  test('code that crashes doesn’t go online, and the last words of it are shown', async () => {
    const file = join(laptop.folder, 'server/main.ts');
    const whole = readFileSync(file, 'utf8');
    appendFileSync(file, "\nthrow new Error('a planted crash');\n");
    const { code, out } = await laptop.online();
    writeFileSync(file, whole);
    expect([code, out]).toEqual([1, expect.stringContaining('a planted crash')]);
    expect(await headline()).toBe(HEADLINE);
  });

  test('the release before can be put online again, and a list says what each changed', async () => {
    const { code, seconds } = await laptop.online(['--undo']);
    figure(`undo: ${seconds.toFixed(0)} s`);
    expect(code).toBe(0);
    expect(await headline()).toBe('Fix What’s Slowing Your Business Down.');
    const { out } = await laptop.online(['--list']);
    expect(out.trim().split('\n')).toEqual([
      expect.stringMatching(/^2 .*words: hero\.headline$/),
      expect.stringMatching(/^1 .*online now$/),
    ]);
  });

  test('nothing of hers was in a command line or a log', async () => {
    const seen = await server.run('cat /root/command-lines; journalctl --no-pager -b');
    // Not with what was seen, which is long.
    expect(seen.includes('on-server.sh\0release')).toBe(true);
    expect([SECRET, HEADLINE, 'Ana Souza', 'ana@example.org'].filter((hers) => seen.includes(hers))).toEqual(
      [],
    );
  });
});
