import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../build/vite.ts';
import { figure } from '../long.ts';
import { type BareServer, bootBareServer, whyNotHere } from '../support/server/bare-server.ts';
import { type Laptop, newLaptop } from '../support/server/laptop.ts';
import { post } from '../support/server/visitors.ts';

const DESK = 'desk/desk-command.ts';
const HEADLINE = 'Words that are only hers';

const settings = (server: BareServer) => ({
  CONTACT_EMAIL: 'ada@blueprint-operations.com',
  SERVER: server.address,
  TIME_ZONE: 'America/Toronto',
});

// In their order: each goes on where the one before it ended.
describe.skipIf(whyNotHere())('a site that is online', () => {
  let server: BareServer;
  let laptop: Laptop;
  beforeAll(async () => {
    server = await bootBareServer();
    laptop = newLaptop(server);
    laptop.settings(settings(server));
    laptop.words({ hero: { headline: HEADLINE } });
    copyFileSync(join(ROOT, 'docs/page.png'), join(laptop.folder, 'mine/founder.png'));
    const { code, out } = await laptop.online();
    expect([code, out]).toEqual([0, expect.any(String)]);
    for (let index = 0; index < 3; index += 1)
      expect(await post({ host: server.address }, `Message ${index}`)).toBe(200);
  });
  afterAll(async () => {
    laptop?.end();
    await server?.end();
  });
  async function desk(args: string[]): Promise<string> {
    const run = laptop.start(DESK, args);
    expect([await run.exited, run.out()]).toEqual([0, expect.any(String)]);
    return run.out();
  }

  test('the desk on the laptop shows the server’s messages, and nobody else can reach it', async () => {
    const listening =
      'ss -Hltn | awk \'$4 !~ /^127\\.|^\\[::1\\]/ {sub(/.*:/, "", $4); print $4}\' | sort -u | xargs';
    const begun = performance.now();
    const open = laptop.start(DESK, ['open', '--json']);
    const [link = ''] = await open.says(/http:\/\/[^\s"]+/);
    const entered = await fetch(link, { redirect: 'manual' });
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    const inbox = await (await fetch(new URL('/', link), { headers: { cookie } })).text();
    figure(`the desk’s inbox through the tunnel: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    expect(inbox.match(/Ana Souza/g)?.length).toBeGreaterThanOrEqual(3);
    expect((await server.run(listening)).trim()).toBe('22 80');
    open.child.kill('SIGTERM');
    await open.exited;
    const desks = () => server.run("pgrep -cf '[d]esk-command.ts' || true");
    await expect.poll(desks, { timeout: 30_000 }).toBe('0\n');
  });

  test('the backup on the laptop has the server’s messages', async () => {
    const begun = performance.now();
    expect(await desk(['backup', 'site.zip'])).toContain('3 messages');
    figure(`a backup on the laptop: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    expect(JSON.parse(await desk(['list', '--json']))).toHaveLength(3);
  });

  test('another laptop gets words, photo and settings back, and goes on from there', async () => {
    const other = newLaptop(server);
    onTestFinished(other.end);
    const { code, out, seconds } = await other.online(['--fetch', server.address]);
    figure(`words, photo and settings on another laptop: ${seconds.toFixed(1)} s`);
    expect([code, out]).toEqual([0, expect.any(String)]);
    for (const file of ['.env', 'mine/words.json', 'mine/founder.png'])
      expect(
        readFileSync(join(other.folder, file)).equals(readFileSync(join(laptop.folder, file))),
        file,
      ).toBe(true);
    const next = await other.online();
    expect([next.code, next.out]).toEqual([
      0,
      expect.stringContaining('the same version, words and settings'),
    ]);
  });

  test('a new server is online with the words and messages within ten minutes of the old one’s end', async () => {
    const old = server;
    server = await bootBareServer();
    await old.end();
    expect(existsSync(join(laptop.folder, 'site.zip'))).toBe(true);
    const begun = performance.now();
    laptop.moveTo(server);
    laptop.settings(settings(server));
    const { code, out } = await laptop.online(['--yes', '--messages', 'site.zip']);
    const seconds = (performance.now() - begun) / 1000;
    figure(`a new server from the laptop and its backup: ${seconds.toFixed(0)} s`);
    expect([code, out]).toEqual([0, expect.stringContaining(`http://${server.address}/`)]);
    expect(seconds).toBeLessThan(600);
    expect(await (await fetch(`http://${server.address}`)).text()).toContain(HEADLINE);
    expect(JSON.parse(await desk(['list', '--json']))).toHaveLength(3);
  });
});
