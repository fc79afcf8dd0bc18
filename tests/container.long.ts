import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import { watchProcess } from './support/service/server-process.ts';
import { temporaryFolder } from './support/service.ts';

const NEEDED = ['buildah', 'crun', 'debootstrap'];
const isHere = process.getuid?.() === 0 && NEEDED.every((name) => !spawnSync(name, ['--version']).error);
const NODE = 1000;

function run(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1e8 });
  expect([status, status === 0 ? '' : stderr + stdout], args.join(' ')).toEqual([0, '']);
  return stdout.trim();
}

type Image = { rootfs: string; Env: string[]; User: string; Cmd: string[]; WorkingDir: string };

function buildImage(): Image {
  const npm = join(run('bash', ['-c', 'readlink -f "$(which npm)"']), '../..');
  const recipe = join(import.meta.dirname, 'support/container/build-image.sh');
  const kept = join(tmpdir(), 'site-container');
  const made = run('bash', [recipe, kept, process.execPath, npm]);
  onTestFinished(
    () => void run('buildah', ['--root', `${kept}/store`, '--runroot', `${kept}/run`, 'rm', '--all']),
  );
  const [rootfs = ''] = made.split('\n', 1);
  return { rootfs, ...JSON.parse(made.slice(rootfs.length)).Docker.config };
}

/** If cgroups of both versions are mounted, crun refuses to run. */
const CRUN =
  'umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; crun --cgroup-manager=disabled "$@"';
const crun = (...args: string[]) => ['--mount', 'bash', '--norc', '-euc', CRUN, 'crun', ...args];

/** As `docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges -v storage:/storage`. */
function start(image: Image, storage: string, settings: string[]) {
  const { rootfs, Env, Cmd: args, WorkingDir: cwd } = image;
  const env = [...Env, ...settings];
  const bundle = temporaryFolder();
  const name = `site-${process.pid}-${bundle.slice(-6)}`;
  const mounts = [
    ['/proc', 'proc'],
    ['/dev', 'tmpfs', 'mode=755'],
    ['/tmp', 'tmpfs', 'mode=1777'],
    ['/storage', storage, 'rbind'],
  ].map(([destination, source, ...options]) => ({ destination, source, type: source, options }));
  const user = { uid: NODE, gid: NODE };
  const spec = {
    ociVersion: '1.0.0',
    process: { user, args, env, cwd, capabilities: {}, noNewPrivileges: true },
    root: { path: rootfs, readonly: true },
    mounts,
    linux: {
      namespaces: ['pid', 'ipc', 'uts', 'mount', 'network'].map((type) => ({ type })),
      sysctl: { 'net.ipv4.ip_unprivileged_port_start': '0' },
    },
  };
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec));
  const output = watchProcess(spawn('unshare', crun('run', '-b', bundle, name)));
  onTestFinished(() => void spawnSync('unshare', crun('delete', '--force', name)));
  const exec = (script: string) =>
    run('unshare', crun('exec', '--cwd', cwd, '--user', `${NODE}:${NODE}`, name, 'sh', '-c', script));
  const ask = (path: string, body = '') =>
    exec(
      `node -e "fetch('http://127.0.0.1${path}'${body}).then(async (r) => console.log(r.status, await r.text()))"`,
    );
  return { ...output, exec, ask };
}

function volume(): string {
  const storage = temporaryFolder();
  chownSync(storage, NODE, NODE);
  return storage;
}

const post =
  ", { method: 'POST', body: new URLSearchParams({ name: 'Ana', email: 'ana@example.org', message: 'Hello' }) }";
const SETTINGS = ['CONTACT_EMAIL=me@firm.example', 'SMTP_ADDRESS=127.0.0.1'];

const onLinux = test.skipIf(!isHere);
onLinux(`the image, built and run (as root with ${NEEDED.join(', ')})`, async () => {
  const image = buildImage();
  const [storage, restored] = [volume(), volume()];
  const first = start(image, storage, SETTINGS);
  await first.says(/The page +http/);
  expect(first.ask('/up')).toMatch(/^200 /);
  expect(first.ask('/')).toContain('me@firm.example');
  expect(first.ask(`${FUNCTIONS_PATH}/${FUNCTION_NAME}`, post)).toMatch(/^200 /);
  expect(image.User).toBe('node');
  expect(first.exec('stat -c %u /proc/1; grep -h CapBnd /proc/1/status')).toMatch(/^1000\nCapBnd:\s+0+$/);
  expect(first.exec('touch /site/x 2>&1 || touch /tmp/x')).toContain('Read-only');
  expect(first.exec('desk doctor || true')).toMatch(/ok +Server[\s\S]*on port 587/);

  mkdirSync(join(storage, 'mine'));
  writeFileSync(join(storage, 'mine/words.json'), '{"hero":{"headline":"Words from the volume"}}');
  first.exec('node publish/publish.ts');
  await expect.poll(() => first.ask('/')).toContain('Words from the volume');

  const { link } = JSON.parse(first.exec('desk open --json'));
  expect(first.exec(`node -e "fetch('${link}').then(async (r) => console.log(await r.text()))"`)).toMatch(
    /<form[^>]* method="post"/i,
  );
  expect(first.exec('desk list --json')).toContain('Ana');

  // As ONCE backs up without hooks: it pauses the container and copies its volume.
  first.exec('kill -STOP -1');
  run('cp', ['-a', `${storage}/.`, restored]);
  const again = start(image, restored, SETTINGS);
  await again.says(/The page +http/);
  expect(again.out()).not.toContain('Building the site');
  expect(again.exec('desk list --json')).toContain('Ana');
  again.exec('kill -TERM 1');
  await again.says(/"msg":"stopped"/);
  await again.exited;
});
