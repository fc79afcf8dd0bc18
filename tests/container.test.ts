import { spawn, spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import { inLongRun } from './long.ts';
import { temporaryFolder } from './support/service/open-test-service.ts';
import { watchProcess } from './support/service/server-process.ts';

const ROOT = join(import.meta.dirname, '..');
const NODE = 1000;

function run(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  expect([program, ...args, status, status === 0 ? '' : stderr + stdout].join(' ')).toMatch(/ 0 $/);
  return stdout.trim();
}

const missing = ['buildah', 'crun', 'debootstrap'].filter(
  (name) => process.getuid?.() !== 0 || spawnSync(name, ['--version']).error,
);
const inContainer = test.skipIf(inLongRun(missing.length > 0, true));

type Image = { rootfs: string; Env: string[]; User: string; Cmd: string[]; WorkingDir: string };

function buildImage(): Image {
  const npm = join(run('bash', ['-c', 'readlink -f "$(which npm)"']), '../..');
  const kept = join(tmpdir(), 'site-container');
  const made = run('bash', ['tests/support/container/build-image.sh', kept, process.execPath, npm]);
  const [rootfs = ''] = made.split('\n', 1);
  return { rootfs, ...JSON.parse(made.slice(rootfs.length)).Docker.config };
}

/** Where cgroups of both versions are mounted, crun refuses to run. */
const CRUN =
  'umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec crun --cgroup-manager=disabled "$@"';
const crun = (...args: string[]) => ['--mount', 'bash', '-euc', CRUN, 'crun', ...args];

/** As `docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges -v storage:/storage`. */
function start(image: Image, storage: string, env: string[] = [], network: 'own' | 'host' = 'own') {
  const { rootfs, Env, User, Cmd, WorkingDir } = image;
  expect(User).toBe('node');
  const bundle = temporaryFolder();
  const name = `site-${bundle.replace(/\W/g, '')}`;
  const mount = (destination: string, type: string, source: string, options: string[]) => ({
    destination,
    type,
    source,
    options: ['nosuid', ...options],
  });
  const spec = {
    ociVersion: '1.0.0',
    process: {
      user: { uid: NODE, gid: NODE },
      args: Cmd,
      env: [...Env, ...env],
      cwd: WorkingDir,
      capabilities: {},
      noNewPrivileges: true,
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      mount('/proc', 'proc', 'proc', []),
      mount('/dev', 'tmpfs', 'tmpfs', ['mode=755']),
      mount('/tmp', 'tmpfs', 'tmpfs', ['mode=1777']),
      mount('/storage', 'bind', storage, ['rbind', 'rw']),
    ],
    linux: {
      namespaces: ['pid', 'ipc', 'uts', 'mount', ...(network === 'own' ? ['network'] : [])].map((type) => ({
        type,
      })),
      ...(network === 'own' && { sysctl: { 'net.ipv4.ip_unprivileged_port_start': '0' } }),
    },
  };
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec));
  const output = watchProcess(spawn('unshare', crun('run', '-b', bundle, name)));
  onTestFinished(() => void spawnSync('unshare', crun('delete', '--force', name)));
  const exec = (...command: string[]) =>
    run('unshare', crun('exec', '--cwd', WorkingDir, '--user', `${NODE}:${NODE}`, name, ...command));
  const ask = (path: string, init = '{}') =>
    exec(
      'node',
      '-e',
      `fetch('http://127.0.0.1${path}', ${init}).then(async (r) => console.log(r.status, await r.text()))`,
    );
  const stop = async () => {
    run('unshare', crun('kill', name, 'TERM'));
    await output.exited;
  };
  return { ...output, exec, ask, stop };
}

function volume(): string {
  const storage = temporaryFolder();
  chownSync(storage, NODE, NODE);
  return storage;
}

const post = (message: string) =>
  `{ method: 'POST', body: new URLSearchParams({ name: 'Ana', email: 'ana@example.org', message: '${message}' }) }`;
const FORM = `${FUNCTIONS_PATH}/${FUNCTION_NAME}`;

inContainer(
  'the image, only in npm run test:long: page and form on port 80, words and messages in the volume',
  async () => {
    const image = buildImage();
    const storage = volume();
    const first = start(image, storage, ['CONTACT_EMAIL=me@firm.example', 'SMTP_ADDRESS=127.0.0.1']);
    await first.says(/The page +http/);
    expect(first.ask('/up')).toMatch(/^200 /);
    expect(first.ask('/')).toContain('me@firm.example');
    expect(first.ask(FORM, post('Before the backup'))).toMatch(/^200 /);
    expect(
      first.exec(
        'sh',
        '-c',
        'stat -c %u /proc/1; grep -E "Cap(Eff|Bnd)|NoNewPrivs" /proc/1/status | tr -d "\\n"',
      ),
    ).toMatch(/^1000\nCapEff:\s+0+CapBnd:\s+0+NoNewPrivs:\s+1$/);
    expect(first.exec('sh', '-c', 'touch /site/x 2>&1 || touch /tmp/x')).toContain('Read-only');

    // Words come while it serves.
    mkdirSync(join(storage, 'mine'));
    writeFileSync(join(storage, 'mine/words.json'), '{"hero":{"headline":"Words from the volume"}}');
    expect(first.exec('sh', '-c', 'desk doctor || true')).toMatch(/ok +Server[\s\S]*look +The page/);
    first.exec('node', 'build/build.ts');
    await expect.poll(() => first.ask('/')).toContain('Words from the volume');

    const desk = start({ ...image, Cmd: ['desk', 'open', '--port', '0'] }, storage, [], 'host');
    const [link] = await desk.says(/http:\S+/);
    const entered = await fetch(link, { redirect: 'manual' });
    const headers = { cookie: entered.headers.get('set-cookie')?.split(';')[0] ?? '' };
    expect(await (await fetch(new URL('/', link), { headers })).text()).toContain('Ana');

    first.exec('/hooks/pre-backup');
    const restored = volume();
    cpSync(storage, restored, { recursive: true, preserveTimestamps: true });
    run('chown', ['-R', `${NODE}:${NODE}`, restored]);
    await first.stop();
    expect(first.out()).toContain('"msg":"stopped"');
    const second = start({ ...image, Cmd: ['sleep', 'infinity'] }, restored);
    await expect.poll(() => second.exec('/hooks/post-restore')).toBe('');
    expect(second.exec('desk', 'list')).toContain('Ana');

    const third = start(image, restored, ['CONTACT_EMAIL=me@firm.example']);
    await third.says(/The page +http/);
    expect(third.ask('/')).toContain('Words from the volume');
    await third.stop();
    const fourth = start(image, restored, ['CONTACT_EMAIL=me@firm.example']);
    await fourth.says(/The page +http/);
    expect(fourth.out(), 'a page that is there').not.toContain('Building');
  },
);
