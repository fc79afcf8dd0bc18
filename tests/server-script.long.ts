import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { headlineOf, type Site, startVisitors } from './support/server/visitors.ts';

const BARE_SERVER = join(import.meta.dirname, 'support/server/bare-server.sh');
const PROGRAMS = ['debootstrap', 'systemd-nspawn', 'ip', 'iptables', 'mkfs.ext4', 'setpriv', 'ssh'];
const SERVERS = join(tmpdir(), 'bare-servers');

type BareServer = Awaited<ReturnType<typeof bootBareServer>>;

/** Root in a container has fewer rights. */
const isHere =
  process.getuid?.() === 0 &&
  PROGRAMS.every((name) => !spawnSync(name, ['--version']).error) &&
  existsSync('/dev/loop-control') &&
  spawnSync('unshare', ['--mount', 'true']).status === 0;

/** Bare Debian with sshd, on a network and a disk of its own. Ends with this process at the latest. `memory` is in MB. */
async function bootBareServer({ suite = 'bookworm', memory = 1024 } = {}) {
  const image = await bareImage(suite);
  const number = Number(script('take', process.pid));
  const folder = join(SERVERS, `${number}.d`);
  const address = `10.77.${number}.2`;
  mkdirSync(folder);
  must('cp', '--sparse=always', '--reflink=auto', image, join(folder, 'disk.img'));
  must('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key'));

  const boot = () => spawnBoot(folder, number, memory);
  let child = boot();

  const [key, knownHosts] = [join(folder, 'key'), join(folder, 'known_hosts')];
  const patience = ['BatchMode=yes', 'ConnectTimeout=2', 'ServerAliveInterval=3', 'ServerAliveCountMax=2'];
  const options = [`UserKnownHostsFile=${knownHosts}`, ...patience].flatMap((option) => ['-o', option]);
  async function run(command: string, input?: Buffer): Promise<string> {
    const args = ['-F', 'none', '-i', key, ...options, `root@${address}`, command];
    const asked = promisify(execFile)('ssh', args, { maxBuffer: 1 << 26 });
    asked.child.stdin?.on('error', () => undefined).end(input);
    return (await asked).stdout;
  }
  async function isUp(): Promise<void> {
    while ((await run('true').catch(() => undefined)) === undefined) {
      if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'boot.log'), 'utf8'));
      await wait(100);
    }
  }
  async function end(): Promise<void> {
    await kill(child);
    script('give_back', number);
  }

  await isUp().catch(async (error) => {
    await end();
    throw error;
  });
  return {
    address,
    run,
    end,
    /** As if somebody pulled the plug and put it back. */
    async pullPlug(): Promise<void> {
      await kill(child);
      script('down', number);
      child = boot();
      await isUp();
    },
  };
}

function spawnBoot(folder: string, number: number, memory: number): ChildProcess {
  const log = openSync(join(folder, 'boot.log'), 'w');
  const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const script = ['bash', BARE_SERVER, 'boot', folder, String(number), String(memory)];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...apart, ...script], {
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  if (child.exitCode === null && child.kill('SIGKILL')) await ended;
}

/** Made once on this machine, which takes about a minute. */
async function bareImage(suite: string): Promise<string> {
  const image = join(tmpdir(), `bare-${suite}.img`);
  if (existsSync(image)) return image;
  const made = `${image}.${process.pid}`;
  const script = ['--mount', '--propagation', 'private', 'bash', BARE_SERVER, 'image', made, suite];
  try {
    await promisify(execFile)('unshare', script, { maxBuffer: 1 << 26 });
    renameSync(made, image);
  } finally {
    rmSync(made, { force: true });
  }
  return image;
}

const script = (verb: string, about: number) => must('bash', BARE_SERVER, verb, SERVERS, String(about));

function must(program: string, ...args: string[]) {
  const done = spawnSync(program, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stderr}`);
  return done.stdout.trim();
}

/** Caddy is its own authority for such a name. */
const DOMAIN = 'bare.local';
const SCRIPT = `cd /srv/site && CONTACT_EMAIL=ada@blueprint-operations.com deploy/server.sh`;
const STATE = '/var/lib/blueprint-operations';
const AUTHORITY = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';

const title = `deploy/server.sh in a booted Debian (as root with loop devices and ${PROGRAMS.join(', ')})`;

/** With this checkout on it, as git would deliver it, and its domain leading there. */
async function bootWithCheckout(options: Parameters<typeof bootBareServer>[0]): Promise<BareServer> {
  const server = await bootBareServer(options);
  const files = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT_ROOT,
  });
  const { stdout } = spawnSync('tar', ['-c', '--null', '--files-from=-', '--ignore-failed-read'], {
    ...{ cwd: PROJECT_ROOT, input: files.stdout, maxBuffer: 1 << 28 },
  });
  await server.run('mkdir -p /srv/site && tar -x -C /srv/site', stdout);
  return server;
}

async function siteOn({ address, run }: BareServer): Promise<Site> {
  return { host: address, servername: DOMAIN, ca: await run(`cat ${AUTHORITY}`) };
}

async function outcome({ run }: BareServer, command: string): Promise<string> {
  const said = await run(`{ ${command}; } 2>&1; echo "ended with $?"`);
  return said.trim();
}

async function goesOnline(server: BareServer): Promise<number> {
  const begun = performance.now();
  expect(await outcome(server, `${SCRIPT} ${DOMAIN}`)).toMatch(/is online\.\nended with 0$/);
  return Math.round((performance.now() - begun) / 1000);
}

describe.skipIf(!isHere)(title, () => {
  let server: BareServer;
  let site: Site;
  beforeAll(async () => {
    server = await bootWithCheckout({ memory: 1024 });
  });
  afterAll(() => server?.end());

  /** A checkout of another version, on the disk before anything is run. */
  const checkOut = (headline: string) =>
    server.run(`sed -i "s/headline: '.*/headline: '${headline}',/" /srv/site/site/content/hero.ts && sync`);

  const within = (mount: string) => `unshare --mount sh -ec '${mount}; ${SCRIPT} ${DOMAIN}'`;
  const leadsElsewhere = [
    'echo 198.51.100.7 www.elsewhere.local >> /etc/hosts; mkdir -p /as',
    'printf "#!/bin/sh\\necho 10.0.0.2 203.0.113.5" > /as/hostname; chmod +x /as/hostname',
    'echo 203.0.113.5 six.local >> /etc/hosts; echo 2001:db8::7 six.local >> /etc/hosts; PATH=/as:$PATH',
  ];
  const isTaken = (port: number) => [
    `systemd-run -q --unit=taker systemd-socket-activate --listen=${port} cat`,
    `until ss -Hltn | grep -q :${port}; do sleep 0.1; done; ${SCRIPT} ${DOMAIN}; systemctl stop taker`,
  ];
  const isOld = [
    'sed s/12/11/ /etc/os-release > /old',
    within('mount --bind /old $(readlink -f /etc/os-release)'),
  ];
  const hasLittle = [
    'sed "s/^MemAvailable.*/MemAvailable: 204800 kB/" /proc/meminfo > /little',
    within('mount --bind /little /proc/meminfo'),
  ];
  test.for([
    ['no domain', [SCRIPT], /^Name your domain/],
    ['an address in its place', [`${SCRIPT} https://${DOMAIN}/`], /^Name your domain/],
    ['a name that leads nowhere', [`${SCRIPT} nowhere.invalid`], /point anywhere yet.*Type A, Value 10\.77/],
    [
      'a domain that leads elsewhere',
      [...leadsElsewhere, `${SCRIPT} www.elsewhere.local`],
      /^www\.elsewhere\.local points to 198\.51\.100\.7, and this server is 203\.0\.113\.5/,
    ],
    ['one that does by IPv6 alone', [...leadsElsewhere, `${SCRIPT} six.local`], /^six\.local points to 2/],
    ['a port that is taken', isTaken(443), /^On this server, systemd-socket- has port 80, 443 or 8080/],
    ['the site’s own port taken', isTaken(8080), /^On this server, systemd-socket- has port/],
    [
      'another user than root',
      [`runuser -u nobody -- sh -c '${SCRIPT} ${DOMAIN}'`],
      /^Only root can do this: sudo/,
    ],
    ['an old Debian', isOld, /^This server has Debian GNU\/Linux 11/],
    ['too little memory', hasLittle, /needs 400 MB of memory, and 200 MB are free.*\n.*swapon/],
  ] as const)('%s is answered with a sentence, and nothing is changed', async ([, commands, sentence]) => {
    expect(await outcome(server, commands.join('; '))).toMatch(sentence);
    const changed = 'ls /opt /var/lib | grep blueprint || true; command -v caddy || true';
    expect(await server.run(changed)).toBe('');
  });

  test('a busy bare machine serves the page by https after a typo, and nothing else is open to others', async () => {
    const lock =
      'for (@ARGV) { open($f{$_}, ">>", $_); fcntl($f{$_}, 6, pack("s s l! l! i s", 1)) or die } sleep 8';
    await server.run(`systemd-run -q perl -e '${lock}' /var/lib/dpkg/lock-frontend /var/lib/apt/lists/lock`);
    const slip = `${SCRIPT.replace('ada@', 'ada')} ${DOMAIN}`;
    expect(await outcome(server, slip)).toMatch(/CONTACT_EMAIL {2}is wrong: "ada[\s\S]*ended with 1$/);
    await goesOnline(server);
    site = await siteOn(server);
    expect(await headlineOf(site)).toMatch(/^Fix What/);
    const open = await server.run(
      `ss -Hltn | awk '{print $4}' | grep -vE '^(127\\.|\\[::1\\])' | sed 's/.*://' | sort -u`,
    );
    expect(open.split('\n').filter(Boolean)).toEqual(['22', '443', '80']);
    const found = await server.run('desk doctor || true');
    for (const what of ['Database', 'Server', 'The page']) expect(found).toMatch(new RegExp(`ok +${what}`));
  });

  test('600 messages are sent during an update: none is refused, and all are stored', async () => {
    await checkOut('Version 0');
    const visitors = startVisitors(site, { atLeast: 600 });
    await goesOnline(server);
    const { posts, refused } = await visitors.end();
    expect(refused).toEqual([]);
    expect(await headlineOf(site)).toBe('Version 0');
    expect(JSON.parse(await server.run('desk list --json'))).toHaveLength(posts);
  });

  test('a power cut in the middle of an update leaves the old or the new site, and the next run finishes it', async () => {
    let seconds = 20;
    for (let round = 1; round <= 5; round += 1) {
      const before = await headlineOf(site);
      await checkOut(`Version ${round}`);
      await server.run(`systemd-run -q sh -c '${SCRIPT} ${DOMAIN}'`);
      const ms = Math.round(Math.random() * 1.1 * seconds * 1000);
      await wait(ms);
      await server.pullPlug();
      await expect.poll(() => headlineOf(site).catch(String), { timeout: 30_000 }).not.toMatch(/Error/);
      expect([before, `Version ${round}`], `after ${ms} ms`).toContain(await headlineOf(site));
      seconds = await goesOnline(server);
      expect(await headlineOf(site)).toBe(`Version ${round}`);
    }
    expect(
      (await server.run(`ls -d /opt/blueprint-operations/2*/ ${STATE}/pages/2*/`)).trim().split('\n').length,
    ).toBeLessThanOrEqual(4);
  });

  test('if a version crashes, its last output is shown, and the one before comes back', async () => {
    await server.run(`echo "throw new Error('a planted crash');" >> /srv/site/server/main.ts`);
    const said = await outcome(server, `${SCRIPT} ${DOMAIN}`);
    expect(said).toMatch(/server\/main\.ts:\d+[\s\S]*The previous one is back\.\nended with 1$/);
    expect(await headlineOf(site)).toBe('Version 5');
  });

  test('the way back is the old checkout, run again', async () => {
    await server.run(`sed -i '$d' /srv/site/server/main.ts`);
    await checkOut('Version 4');
    await goesOnline(server);
    expect(await headlineOf(site)).toBe('Version 4');
  });
});

describe.skipIf(!isHere)(`${title}, of another kind`, () => {
  test.for([
    { suite: 'bookworm', memory: 512 },
    { suite: 'trixie', memory: 1024 },
  ])('%o serves the page by https, and updates', async (kind) => {
    const server = await bootWithCheckout(kind);
    onTestFinished(server.end);
    await goesOnline(server);
    expect(await headlineOf(await siteOn(server))).toMatch(/^Fix What/);
    await goesOnline(server);
  });
});
