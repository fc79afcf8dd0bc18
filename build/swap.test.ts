import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { filesIn } from './shipped.ts';
import { swap } from './swap.mjs';
import { ROOT } from './vite.ts';

const manifest = (version: string) =>
  `${JSON.stringify({ version, type: 'module', scripts: { start: 'node run.js', build: 'node run.js' } }, null, 2)}\n`;

/** Two versions of a small project, the other one made ready. Each of its files says which version it's of. */
const OLD = { 'run.js': 'old', 'room/one.js': 'old', 'room/gone/two.js': 'old', 'a file': 'old' };
const NEW = { 'run.js': 'new', 'room/one.js': 'new', 'room/more/three.js': 'new', 'a file/four.js': 'new' };

function prepare() {
  const root = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(OLD)) write(path, text);
  for (const [path, text] of Object.entries(NEW)) write(`.update/next/${path}`, text);
  write('run.js', 'console.log("old")');
  write('.update/next/run.js', 'console.log("new")');
  write('mine/words.json', 'hers');
  write('room/hers.txt', 'hers');
  write('package.json', manifest('1.0.0'));
  write('.update/next/package.json', manifest('2.0.0'));
  write('.update/previous/package.json', manifest('1.0.0'));
  const journal = {
    from: 'next',
    kept: 'previous',
    put: Object.keys(NEW),
    gone: ['room/gone/two.js', 'a file'],
  };
  write('.update/swap.json', JSON.stringify(journal));
  cpSync(join(ROOT, 'build/swap.mjs'), join(root, '.update/swap.mjs'));
  return root;
}

/** What each file holds, hers apart. */
const contents = (folder: string) =>
  Object.fromEntries(
    filesIn(folder)
      .filter((path) => !path.endsWith('hers.txt'))
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );

/** Swaps in a process of its own that does something in place of its nth rename. */
function swapUntil(root: string, nth: number, instead: string) {
  const preload = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { renameSync } = fs;
    let left = ${nth};
    fs.renameSync = (...asked) => { if (left-- === 0) ${instead}; renameSync(...asked); };
    syncBuiltinESMExports();`;
  return spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, join(root, '.update/swap.mjs')],
    { encoding: 'utf8' },
  );
}

/** `npm run`, without npm. */
function runScript(root: string, name: string): string {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return spawnSync(scripts[name], { cwd: root, shell: true, encoding: 'utf8' }).stdout.trim();
}

function expectNew(root: string): void {
  expect(contents(root)).toMatchObject({ ...contents(root), 'room/one.js': 'new', 'a file/four.js': 'new' });
  expect(Object.keys(contents(root)).sort()).toEqual([...Object.keys(NEW), 'package.json'].sort());
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe(manifest('2.0.0'));
  const kept = join(root, '.update/previous');
  expect(Object.keys(contents(kept)).sort()).toEqual([...Object.keys(OLD), 'package.json'].sort());
  expect(contents(kept)).toMatchObject({ 'package.json': manifest('1.0.0'), 'a file': 'old' });
  for (const path of ['mine/words.json', 'room/hers.txt'])
    expect(readFileSync(join(root, path), 'utf8')).toBe('hers');
  for (const left of ['.update/next', '.update/swap.json', 'room/gone'])
    expect(existsSync(join(root, left))).toBe(false);
}

test('the other version comes whole, this one is kept whole, and what is hers stays', () => {
  const root = prepare();
  swap(root);
  expectNew(root);
});

test('killed at any moment, one version or the other runs by each script, and the next script finishes it', () => {
  const renames = 20;
  const ended = Array.from({ length: renames }, (_, nth) => {
    const root = prepare();
    const { signal } = swapUntil(root, nth, "process.kill(process.pid, 'SIGKILL')");
    const said = runScript(root, 'build');
    // Before the first rename, nothing has been told to the scripts.
    expect(said).toBe(signal && nth === 0 ? 'old' : 'new');
    if (signal && nth === 0) swap(root);
    expectNew(root);
    return signal;
  });
  expect(ended.filter((signal) => signal === 'SIGKILL').length).toBeGreaterThan(6);
  expect(ended.at(-1), 'the last one ran to its end').toBe(null);
});

test('where a file cannot be replaced, all that was is there again', () => {
  for (let nth = 1; nth < 9; nth += 1) {
    const root = prepare();
    const before = contents(root);
    const { status, stderr } = swapUntil(
      root,
      nth,
      "throw Object.assign(new Error('busy'), { code: 'EPERM' })",
    );
    if (status === 0) continue;
    expect(stderr).toContain('busy');
    expect(contents(root)).toEqual(before);
    expect(runScript(root, 'start')).toBe('old');
    expect(existsSync(join(root, '.update/swap.json'))).toBe(false);
  }
});
