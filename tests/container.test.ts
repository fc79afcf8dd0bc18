import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { inLongRun } from './long.ts';
import { storedTexts } from './support/database/message-rows.ts';
import { startServer, submit, watchProcess } from './support/service/server-process.ts';
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

/** Where cgroups of both versions are mounted, crun refuses to run. */
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

const onRequest = test.skipIf(!inLongRun(isHere, false));
onRequest(`the image, built and run (npm test -- --long, as root with ${NEEDED.join(', ')})`, async () => {
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

  first.exec('/hooks/pre-backup');
  run('cp', ['-a', `${storage}/.`, restored]);
  const hook = start({ ...image, Cmd: ['/hooks/post-restore'] }, restored, []);
  expect([await hook.exited, hook.out()]).toEqual([0, '']);
  for (const isBuilt of [false, true]) {
    const again = start(image, restored, SETTINGS);
    await again.says(/The page +http/);
    expect(again.out().includes('Building the site')).toBe(!isBuilt);
    expect(again.exec('desk list --json')).toContain('Ana');
    again.exec('kill -TERM 1');
    await again.says(/"msg":"stopped"/);
    await again.exited;
  }
});

const onLinux = test.skipIf(process.platform !== 'linux');
const text = (nth: number) => `Hello, this is ${'a'.repeat(nth)}`;

/** As in the container, but for the place of the volume and of the desk. */
async function runHook(name: string, storage: string): Promise<string> {
  const read = (file: string) => readFileSync(join(PROJECT_ROOT, 'deploy/container', file), 'utf8');
  const programs = temporaryFolder();
  const desk = read('desk').replace('/site', PROJECT_ROOT).replace('exec node', `exec '${process.execPath}'`);
  writeFileSync(join(programs, 'desk'), desk, { mode: 0o755 });
  const PATH = `${programs}:${process.env.PATH}`;
  const env = { PATH, DATABASE_URL: `file:${storage}/contact.db`, WORDS_DIR: storage, MAIL_DIR: storage };
  const child = spawn('sh', ['-c', read(name).replaceAll('/storage', storage)], { env });
  const { out, exited } = watchProcess(child);
  return (await exited) === 0 ? 'done' : out();
}

async function restored(storage: string, change: (copy: string) => void = () => {}): Promise<string[]> {
  const copy = temporaryFolder();
  // Mails get their names meanwhile, which `cpSync` doesn't survive.
  const filter = (path: string) => !path.endsWith('/mail');
  cpSync(storage, copy, { recursive: true, preserveTimestamps: true, filter });
  change(copy);
  for (const time of ['once', 'twice']) expect(await runHook('post-restore', copy), time).toBe('done');
  return storedTexts(join(copy, 'contact.db'));
}

onLinux('a volume copied while visitors write holds all that came before', async () => {
  const storage = temporaryFolder();
  const { url } = await startServer(storage);
  let [nth, goesOn] = [0, true];
  const writing = (async () => {
    while (goesOn) expect(await submit(url, text(++nth))).toBe(200);
  })();
  expect(await runHook('pre-backup', storage)).toBe('done');
  const before = nth - 1;
  expect(await runHook('pre-backup', storage), 'over the copy of the day before').toBe('done');
  expect(nth - 1, 'it goes on').toBeGreaterThan(before);
  // As when the database is copied in the middle of a write.
  const messages = await restored(storage, (copy) => truncateSync(join(copy, 'contact.db'), 8_192));
  expect(messages).toEqual(messages.map((_, at) => text(at + 1)));
  expect(messages.length).toBeGreaterThanOrEqual(before);
  goesOn = false;
  await writing;
});

onLinux('a database stopped or held still while it was copied is newer than the copy in it', async () => {
  const storage = temporaryFolder();
  const server = await startServer(storage);
  expect(await submit(server.url, text(1))).toBe(200);
  expect(await runHook('pre-backup', storage)).toBe('done');
  expect(await submit(server.url, text(2))).toBe(200);
  const later = (copy: string) => {
    const made = statSync(join(copy, 'backup/messages.db')).mtimeMs / 1000;
    utimesSync(join(copy, 'contact.db-wal'), made, made + 2 * 3600);
  };
  expect(await restored(storage, later)).toEqual([text(1), text(2)]);
  server.kill('SIGTERM');
  await server.exited;
  expect(await restored(storage)).toEqual([text(1), text(2)]);
  // No copy is better than an old one.
  writeFileSync(join(storage, 'contact.db'), 'damaged');
  expect(await runHook('pre-backup', storage)).toMatch(/contact\.db/);
  expect(existsSync(join(storage, 'backup/messages.db'))).toBe(false);
});
