import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { filesIn, hashOf } from '../build/shipped.ts';
import { ROOT } from '../build/vite.ts';
import { COMPILED } from '../tests/support/service/compiled.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'update-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const ENV = {
  PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
  HOME: FOLDER,
  GIT_AUTHOR_NAME: 'us',
  GIT_AUTHOR_EMAIL: 'us@example.com',
  GIT_COMMITTER_NAME: 'us',
  GIT_COMMITTER_EMAIL: 'us@example.com',
  ...COMPILED,
};

function run(cwd: string, program: string, args: string[], env: Record<string, string> = {}) {
  const { status, signal, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...ENV, ...env },
    encoding: 'utf8',
  });
  return { status, signal, out: stdout, err: stderr };
}

/** In a clone of ours. */
const git = (cwd: string, ...args: string[]) => {
  const { status, out, err } = run(cwd, 'git', args);
  if (status !== 0) throw new Error(err);
  return out.trim();
};

/** A folder whose files are edited and read by their paths. */
function folder(name: string) {
  const root = join(FOLDER, name);
  const at = (path: string) => join(root, path);
  const read = (path: string) => readFileSync(at(path), 'utf8');
  return {
    root,
    at,
    read,
    has: (path: string) => existsSync(at(path)),
    write(path: string, text: string) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    },
    change(path: string, from: string | RegExp, to: string) {
      const text = read(path);
      expect(text).toMatch(from);
      writeFileSync(at(path), text.replace(from, to));
    },
    update: (...args: string[]) => run(root, process.execPath, [at('desk/update.ts'), ...args]),
    version: () => JSON.parse(read('package.json')).version as string,
    headline: () => /<h1[^>]*>([^<]*)/.exec(read('dist/index.html'))?.[1],
    /** Each file but what npm and updates put there, to see that nothing has changed. */
    hashes: () => Object.fromEntries(filesIn(root).map((path) => [path, hashOf(at(path))])),
  };
}

const OURS = git(ROOT, 'ls-files')
  .split('\n')
  .filter((path) => !/^(tests|bench)\//.test(path) && existsSync(join(ROOT, path)));

/** The project as it's downloaded, and as it's published later. */
const now = folder('now');
for (const path of OURS) cpSync(join(ROOT, path), now.at(path));
const version = now.version();
git(now.root, 'init', '--quiet', '--initial-branch=main');
const commit = (message: string) => {
  git(now.root, 'add', '--all');
  git(now.root, 'commit', '--quiet', '--message', message);
};
commit('now');
git(now.root, 'branch', 'now');
now.change('package.json', `"version": "${version}"`, '"version": "98.7.0"');
now.change('package-lock.json', `"version": "${version}"`, '"version": "98.7.0"');
now.change('CHANGELOG.md', /^# .*\n/, '$&\n## 98.7.0 – later\n\nDoors open by themselves.\n');
now.change('site/content/hero.ts', /headline: '.*'/, "headline: 'A later headline'");
now.change('.env.example', /$/, '\n# Opens doors.\nDOORS=\n');
now.write('site/doors/door.txt', 'open');
rmSync(now.at('build/dev.test.ts'));
commit('later');
const archive = (name: string, branch = 'main') => {
  const file = join(FOLDER, name);
  git(now.root, 'archive', '--prefix=site-98.7.0/', '--output', file, branch);
  return file;
};
const ZIP = archive('later.zip');
const TAR = archive('later.tar.gz');

/** Hers: built once, and copied for each test. */
const first = folder('first');
git(FOLDER, 'clone', '--quiet', '--branch=now', now.root, 'first');
rmSync(first.at('.git'), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), first.at('node_modules'));
// Before the first build, nothing tells it from ours.
for (const path of ['notes.txt', 'docs/notes.txt']) first.write(path, 'notes');
expect(run(first.root, process.execPath, ['build/build.ts']).err).toBe('');

let hers: ReturnType<typeof folder>;
let copies = 0;
const HERS = {
  '.env': 'DATABASE_URL=file:./deploy/contact.db\n',
  'mine/words.json': '{"hero":{"headline":"Mine"}}',
  'deploy/contact.db': 'messages',
  'notes.txt': 'notes',
  'docs/notes.txt': 'notes',
  'data/mail/1.eml': 'mail',
};
beforeEach(() => {
  copies += 1;
  hers = folder(`hers-${copies}`);
  cpSync(first.root, hers.root, { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of Object.entries(HERS)) hers.write(path, text);
});

function expectHers(own: Partial<typeof HERS> = {}): void {
  for (const [path, text] of Object.entries({ ...HERS, ...own }))
    expect.soft(hers.read(path), path).toBe(text);
}

test('an archive brings its version with her words, says what is new, and is taken back with her words of now', async () => {
  hers.change('site/styles/tokens.css', /$/, '/* by hand */\n');
  const before = hers.read('site/styles/tokens.css');
  const { out, err, status } = hers.update(ZIP);
  expect([err, status]).toEqual(['', 0]);
  expect(out).toContain(`98.7.0 comes in place of ${version}`);
  expect(out).toMatch(/by hand.*\n {2}– site\/styles\/tokens.css\n(?! {2}–)/);
  expect(out).toContain('Doors open by themselves.');
  expect(out).not.toContain(`## ${version} `);
  expect(out).toContain('Headline: “A later headline”');
  expect(out).toMatch(/New settings.*: DOORS\n/);
  expect([hers.version(), hers.headline(), hers.read('site/doors/door.txt')]).toEqual([
    '98.7.0',
    'Mine',
    'open',
  ]);
  expect(hers.has('build/dev.test.ts')).toBe(false);
  expect(hers.read('.update/previous/site/styles/tokens.css')).toBe(before);
  expectHers();
  // The page needn't be built again at the next start.
  const { DIST, isStale } = await import(hers.at('build/stale.ts'));
  const { loadEnv, readSettings } = await import(hers.at('settings/settings.ts'));
  expect(await isStale(readSettings(loadEnv(hers.root)), DIST)).toBe(false);

  const again = hers.update(TAR);
  expect(again.out).toBe('You have version 98.7.0 already.\n');
  const words = '{"hero":{"headline":"Mine, later"}}';
  hers.write('mine/words.json', words);
  const undone = hers.update('--undo');
  expect([undone.err, undone.status]).toEqual(['', 0]);
  expect([hers.version(), hers.headline(), hers.has('site/doors')]).toEqual([version, 'Mine, later', false]);
  expect(hers.read('site/styles/tokens.css')).toBe(before);
  expect(hers.has('build/dev.test.ts')).toBe(true);
  expectHers({ 'mine/words.json': words });
  expect(hers.update('--undo').err).toContain('no update');
});

test('what cannot be built, is not whole, is older or is something else changes nothing, and she reads why', () => {
  const later = folder('broken');
  cpSync(now.root, later.root, { recursive: true });
  const cut = join(FOLDER, 'cut.zip');
  cpSync(ZIP, cut);
  truncateSync(cut, 100_000);
  const before = hers.hashes();
  const page = hers.read('dist/index.html');
  const refused = (file: string, why: string | RegExp) => {
    const { status, err } = hers.update(file);
    expect(err).toMatch(why);
    expect(err).toMatch(/Nothing was changed\.\n$/);
    expect(status).toBe(1);
    expect(hers.hashes()).toEqual(before);
    expect(hers.read('dist/index.html')).toBe(page);
    expect(['next', 'unpacked', 'swap.json'].filter((left) => hers.has(`.update/${left}`))).toEqual([]);
  };
  refused(cut, 'can’t be unpacked');
  refused(join(FOLDER, 'none.zip'), 'There’s no ');
  refused(archive('older.tar.gz', 'now').replace('older', 'none'), 'There’s no ');
  refused(join(ROOT, 'tests'), 'isn’t this site');
  later.change('site/content/promises.ts', /heading: '.*'/, 'heading: 7');
  refused(later.root, 'promises.ts: “heading” of “promises” must be words');
  later.change('site/content/promises.ts', 'heading: 7', "heading: 'Seven'");
  later.change('server/main.ts', /^/, "import './missing.ts';\n");
  refused(later.root, 'missing.ts');
  later.change('package.json', '98.7.0', '0.0.1');
  refused(later.root, /and that’s 0\.0\.1/);
});

test('new packages come and go with their version, also if it is killed in mid-swap; without a network nothing changes', () => {
  const later = folder('packages');
  cpSync(now.root, later.root, { recursive: true });
  later.change('package-lock.json', '"node_modules/hono": {', '$&\n      "new": true,');
  // An npm without a network, and one that links what's here.
  const path = { PATH: `${join(FOLDER, 'bin')}${delimiter}${ENV.PATH}` };
  const npm = folder('bin');
  npm.write('npm', '#!/bin/sh\necho "no network" >&2\nexit 1\n');
  chmodSync(npm.at('npm'), 0o755);
  const update = (...args: string[]) => run(hers.root, process.execPath, ['desk/update.ts', ...args], path);
  const before = hers.hashes();
  const { err } = update(later.root);
  expect(err).toContain('no network');
  expect(hers.hashes()).toEqual(before);

  npm.write(
    'npm',
    `#!/bin/sh\nmkdir node_modules node_modules/.bin\nln -s ${join(ROOT, 'node_modules')}/* ${join(ROOT, 'node_modules/.package-lock.json')} node_modules\n`,
  );
  const preload = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { renameSync } = fs;
    let left = 300;
    fs.renameSync = (...asked) => { if (left-- === 0) process.kill(process.pid, 'SIGKILL'); renameSync(...asked); };
    syncBuiltinESMExports();`;
  const killed = run(
    hers.root,
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, 'desk/update.ts', later.root],
    path,
  );
  expect([killed.err, killed.signal, hers.has('.update/swap.json')]).toEqual(['', 'SIGKILL', true]);
  // Any other script goes on with it.
  const { out } = run(hers.root, 'npm', ['run', '--silent', 'desk', '--', '--version'], { PATH: ENV.PATH });
  expect(out).toContain('98.7.0');
  expect([hers.has('.update/swap.json'), hers.has('.update/next')]).toEqual([false, false]);
  expectHers();
  expect([hers.version(), hers.headline()]).toEqual(['98.7.0', 'Mine']);
  const isLinked = (path: string) => lstatSync(hers.at(path)).isSymbolicLink();
  expect(['node_modules', '.update/previous/node_modules'].map(isLinked)).toEqual([false, true]);
});

test('where there is git, its upstream comes the same way, and commits of hers are left alone', () => {
  git(FOLDER, 'clone', '--quiet', '--branch=now', now.root, `git-${copies}`);
  hers = folder(`git-${copies}`);
  git(hers.root, 'branch', '--quiet', '--set-upstream-to=origin/main');
  symlinkSync(join(ROOT, 'node_modules'), hers.at('node_modules'));
  writeFileSync(hers.at('.git/info/exclude'), '/node_modules\n');
  for (const [path, text] of Object.entries(HERS)) hers.write(path, text);
  hers.change('site/styles/tokens.css', /$/, '/* by hand */\n');
  const head = git(hers.root, 'rev-parse', 'HEAD');
  const { out, err } = hers.update();
  expect(err).toBe('');
  expect(out).toMatch(/by hand.*\n {2}– site\/styles\/tokens.css\n(?! {2}–)/);
  expect([hers.version(), hers.headline()]).toEqual(['98.7.0', 'Mine']);
  expect(git(hers.root, 'rev-parse', 'HEAD')).toBe(git(now.root, 'rev-parse', 'HEAD'));
  expect(git(hers.root, 'status', '--porcelain').split('\n').toSorted()).toEqual([
    '?? deploy/contact.db',
    '?? docs/notes.txt',
    '?? notes.txt',
  ]);
  expect(hers.update('--undo').err).toBe('');
  expect(git(hers.root, 'rev-parse', 'HEAD')).toBe(head);
  expect(git(hers.root, 'status', '--porcelain')).toContain('M site/styles/tokens.css');
  git(hers.root, 'commit', '--quiet', '--all', '--message', 'hers');
  expect(hers.update().err).toContain('commits of your own');
});

test('all that is shipped can be replaced, and all that git leaves out stays', () => {
  const shipped = git(ROOT, 'ls-files')
    .split('\n')
    .filter((path) => existsSync(join(ROOT, path)));
  expect(filesIn(now.root).toSorted()).toEqual(git(now.root, 'ls-files').split('\n').toSorted());
  expect(shipped.length).toBeGreaterThan(500);
  const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('!'));
  const probe = folder('probe');
  for (const pattern of ignored)
    probe.write(
      pattern.replaceAll('*', 'x').replace(/^\/|\/$/g, '') + (pattern.endsWith('/') ? '/x' : ''),
      '',
    );
  expect(filesIn(probe.root)).toEqual([]);
});
