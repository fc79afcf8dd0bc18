import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../build/vite.ts';
import { figure } from '../long.ts';
import { bootBareServer } from '../support/server/bare-server.ts';
import { describeOnline, newLaptop } from '../support/server/laptop.ts';
import { headlineOf, openPorts, post } from '../support/server/visitors.ts';

const HERS = 'Words that are only hers';

describeOnline('a site that is online', (site) => {
  async function messages(): Promise<unknown[]> {
    const { code, out } = await site.laptop.desk('list', '--json');
    expect([code, out]).toEqual([0, expect.any(String)]);
    return JSON.parse(out);
  }

  test('the desk on the laptop shows the server’s messages, and nobody else can reach it', async () => {
    const { server, laptop } = site;
    laptop.settings(server);
    laptop.words(HERS);
    copyFileSync(join(ROOT, 'docs/page.png'), join(laptop.folder, 'mine/founder.png'));
    const { code, out } = await laptop.online();
    expect([code, out]).toEqual([0, expect.any(String)]);
    for (const text of ['1', '2', '3']) expect(await post({ host: server.address }, text)).toBe(200);

    const begun = performance.now();
    const open = laptop.start('desk/desk-command.ts', ['open', '--json']);
    const [link] = await open.says(/http:\/\/[^\s"]+/);
    const entered = await fetch(link, { redirect: 'manual' });
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    const inbox = await (await fetch(new URL('/', link), { headers: { cookie } })).text();
    figure(`the desk’s inbox through the tunnel: ${Math.round(performance.now() - begun)} ms`);
    expect(inbox.match(/Ana Souza/g)?.length).toBeGreaterThanOrEqual(3);
    expect(await openPorts(server)).toEqual(['22', '80']);
    open.child.kill('SIGTERM');
    await open.exited;
    const desks = () => server.run("pgrep -cf '[d]esk-command.ts' || true");
    await expect.poll(desks, { timeout: 30_000 }).toBe('0\n');
  });

  test('a backup on the laptop has the server’s messages', async () => {
    const { code, out, seconds } = await site.laptop.desk('backup', 'site.zip');
    figure(`a backup on the laptop: ${seconds} s`);
    expect([code, out]).toEqual([0, expect.stringContaining('3 messages')]);
    expect(await messages()).toHaveLength(3);
  });

  test('another laptop gets words, photo and settings back, and goes on from there', async () => {
    const other = newLaptop();
    other.knows(site.server);
    onTestFinished(other.end);
    const { code, out, seconds } = await other.online(['--fetch', site.server.address]);
    figure(`words, photo and settings on another laptop: ${seconds} s`);
    expect([code, out]).toEqual([0, expect.any(String)]);
    for (const file of ['.env', 'mine/words.json', 'mine/founder.png']) {
      const [was, is] = [site.laptop, other].map(({ folder }) => readFileSync(join(folder, file)));
      expect(is?.equals(was ?? is), file).toBe(true);
    }
    const next = await other.online();
    expect([next.code, next.out]).toEqual([
      0,
      expect.stringContaining('the same version, words and settings'),
    ]);
  });

  test('a new server is online with words and messages within ten minutes of the old one’s end', async () => {
    const old = site.server;
    site.server = await bootBareServer();
    await old.end();
    site.laptop.settings(site.server);
    // She may think of the backup only afterwards.
    const first = await site.laptop.online();
    const { code, out, seconds } = await site.laptop.online(['--yes', '--messages', 'site.zip']);
    figure(`a new server from the laptop: ${first.seconds} s; the backup's messages: ${seconds} s more`);
    expect([code, out]).toEqual([0, expect.stringContaining(`http://${site.server.address}/`)]);
    expect(first.seconds + seconds).toBeLessThan(600);
    expect([await headlineOf(site.server), (await messages()).length]).toEqual([HERS, 3]);
  });
});
