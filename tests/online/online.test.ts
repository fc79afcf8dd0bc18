import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../build/vite.ts';
import { figure, inLongRun } from '../long.ts';
import { describeOnline, type Site } from '../support/server/laptop.ts';
import { headlineOf, openPorts, startVisitors } from '../support/server/visitors.ts';

const SHIPPED = 'Fix What’s Slowing Your Business Down.';
const HERS = 'Words that are only hers';
const SECRET = 'hunter2-hunter2-hunter2-hunter2';
const DESK = 'sh /opt/blueprint-operations/current/deploy/on-server.sh desk';

const tests = (site: Site) => {
  test('a bare server is online after one command, a password and two answers', async () => {
    const { server, laptop } = site;
    await server.run(
      `systemd-run -q sh -c 'while sleep 0.1; do cat /proc/[0-9]*/cmdline; done > /var/tmp/command-lines 2> /dev/null'
      echo root:typed-by-hand | chpasswd; echo PermitRootLogin yes > /etc/ssh/sshd_config.d/0.conf; systemctl reload ssh`,
    );
    laptop.write('password', 'typed-by-hand');
    laptop.write('.env', `CONTACT_EMAIL=ada@blueprint-operations.com\nSWEEP_SECRET=${SECRET}\n`);
    const { code, out, seconds } = await laptop.online([], [server.address, '', 'y']);
    figure(`bare to online: ${seconds} s, three questions, ssh’s own two`);
    expect([code, out]).toEqual([0, expect.stringContaining(`It’s at http://${server.address}/`)]);
    expect(await headlineOf(server)).toBe(SHIPPED);
    const key = readFileSync(join(laptop.folder, '.ssh/id_ed25519.pub'), 'utf8');
    expect(out).toContain(key.trim());
    expect(await server.run('cat ~/.ssh/authorized_keys')).toContain(key);
  });

  test('nothing listens but ssh and the web server', async () => {
    expect(await openPorts(site.server)).toEqual(['22', '80']);
  });

  test('the settings are for root and the site alone, and the doctor there agrees', async () => {
    const file = await site.server.run('stat -Lc "%a %U %G" /opt/blueprint-operations/current/.env');
    expect(file.trim()).toBe('640 root blueprint');
    expect(await site.server.run(`${DESK} doctor file-rights`)).toMatch(/ ok {2,}File rights/);
  });

  test('nobody is refused while changed words go online', async () => {
    const { server, laptop } = site;
    laptop.words(HERS);
    const visitors = startVisitors(server, { atLeast: 400 });
    const { code, out, seconds } = await laptop.online();
    const { visits, posts, refused, longestMs } = await visitors.end();
    figure(
      `changed words: ${seconds} s, ${refused.length} of ${visits} refused, longest wait ${longestMs} ms`,
    );
    expect([code, out, refused]).toEqual([0, expect.stringContaining('hero.headline'), []]);
    expect(await headlineOf(server)).toBe(HERS);
    expect(JSON.parse(await server.run(`${DESK} list --json`))).toHaveLength(posts);
  });

  test('code that crashes doesn’t go online, and its last words are shown', async () => {
    const file = join(site.laptop.folder, 'server/main.ts');
    appendFileSync(file, "\nthrow new Error('a planted crash');\n");
    const { code, out, seconds } = await site.laptop.online();
    cpSync(join(ROOT, 'server/main.ts'), file);
    figure(`code that crashes: ${seconds} s`);
    expect([code, out]).toEqual([1, expect.stringContaining('a planted crash')]);
    expect(await headlineOf(site.server)).toBe(HERS);
  });

  test('the release before can be put online again, and a list says what each changed', async () => {
    const { code, seconds } = await site.laptop.online(['--undo']);
    figure(`undo: ${seconds} s`);
    expect([code, await headlineOf(site.server)]).toEqual([0, SHIPPED]);
    const { out } = await site.laptop.online(['--list']);
    expect(out.trim().split('\n')).toEqual([
      expect.stringMatching(/^2 .*words: hero\.headline$/),
      expect.stringMatching(/^1 .*online now$/),
    ]);
  });

  test('nothing of hers was in a command line or a log', async () => {
    const seen = await site.server.run('cat /var/tmp/command-lines; journalctl --no-pager -b');
    // Without what was seen, which is long.
    expect(seen.includes('on-server.sh\0release')).toBe(true);
    expect([SECRET, HERS, 'Ana Souza', 'ana@example.org'].filter((word) => seen.includes(word))).toEqual([]);
  });

  test('a server that isn’t the one from before gets nothing', async () => {
    await site.server.run('rm /etc/ssh/ssh_host_*; ssh-keygen -A; systemctl restart ssh');
    const { code, out } = await site.laptop.online();
    expect([code, out]).toEqual([1, expect.stringContaining('HOST IDENTIFICATION HAS CHANGED')]);
  });
};

describeOnline('npm run online', tests, inLongRun(['bookworm', 'trixie'], ['bookworm']));
