import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../settings/settings.ts';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'install-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32')('before a script runs', () => {
  const SERVE = { version: '1.0.0' };
  const TEST = { version: '2.0.0', dev: true };
  /** Tests need it, and so could a package that does without it. */
  const EITHER = { version: '3.0.0', devOptional: true };
  const FETCHED = { version: '24.21.0', optional: true, bin: { node: 'bin/node' } };

  function write(path: string, content: unknown, mode = 0o644): void {
    const file = join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    chmodSync(file, mode);
  }

  /**
   * Runs publish/ensure-install.mjs in a small project, as if on the given version of Node. Its npm records how it was
   * called, and installs the Node that runtime/'s lock file asks for, as `fetched`.
   */
  function ensure({ on = '24.21.0', args = [] as string[], fetched = '' }) {
    const script = 'publish/ensure-install.mjs';
    cpSync(join(PROJECT_ROOT, script), join(project, script));
    const packages = { '': {}, 'node_modules/a': SERVE, 'node_modules/b': TEST, 'node_modules/c': EITHER };
    write('package-lock.json', { packages });
    write('runtime/package-lock.json', { packages: { '': {}, 'node_modules/node-here': FETCHED } });
    const calls = join(project, 'calls');
    const installed = join(project, 'runtime/node_modules');
    write(
      'path/npm',
      `#!/bin/sh
echo "$@" >> ${calls}
[ "${fetched}" ] || exit 0
mkdir -p ${installed}/node-here/bin
printf '%s' '${JSON.stringify({ packages: { 'node_modules/node-here': FETCHED } })}' > ${installed}/.package-lock.json
printf '%s\\n' '#!/bin/sh' '${fetched}' > ${installed}/node-here/bin/node
chmod +x ${installed}/node-here/bin/node
`,
      0o755,
    );
    const asIf = `Object.defineProperty(process.versions, 'node', { value: '${on}' })`;
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        ...['--import', `data:text/javascript,${encodeURIComponent(asIf)}`],
        ...[join(project, script), ...args],
      ],
      { encoding: 'utf8', env: { PATH: [join(project, 'path'), process.env.PATH].join(delimiter) } },
    );
    const link = join(project, 'node_modules/.bin/node');
    return {
      status,
      stderr,
      npm: existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [],
      node: existsSync(link) ? readlinkSync(link) : undefined,
    };
  }

  function isInstalled(...packages: (typeof SERVE | typeof TEST)[]): void {
    const names = packages.map((entry) => [entry === SERVE ? 'node_modules/a' : 'node_modules/b', entry]);
    if (packages.includes(TEST)) names.push(['node_modules/c', EITHER]);
    write('node_modules/.package-lock.json', { packages: Object.fromEntries(names) });
    for (const [path] of names) mkdirSync(join(project, String(path)), { recursive: true });
  }

  test.each(['24.11.0', '26.0.0', '27.1.0'])('a machine that has Node %s uses it and fetches none', (on) => {
    isInstalled(SERVE);
    expect(ensure({ on })).toEqual({ status: 0, stderr: '', npm: [], node: process.execPath });
  });

  test.each(['20.0.0', '22.22.0', '24.10.0', '25.9.0'])(
    'a machine that has Node %s gets one, which is run once',
    (on) => {
      isInstalled(SERVE);
      expect(ensure({ on, fetched: 'echo v24.21.0' })).toEqual({
        status: 0,
        stderr: '',
        npm: [expect.stringMatching(/^ci --ignore-scripts .*--prefix runtime$/)],
        node: join(project, 'runtime/node_modules/node-here/bin/node'),
      });
    },
  );

  test('a fetched Node that does not run here is not relied on, and what it lacks is said', () => {
    isInstalled(SERVE);
    const lacks = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file';
    const { status, stderr, node } = ensure({ on: '20.0.0', fetched: `echo ${lacks} >&2; exit 127` });
    expect([status, node]).toEqual([1, undefined]);
    expect(stderr).toContain(lacks);
    expect(stderr).toContain('Install what is missing, or Node 24');
  });

  test('a folder in whose path the page can’t be built is named', () => {
    project = join(project, 'client #1');
    const { status, stderr, npm } = ensure({});
    expect([status, npm]).toEqual([1, []]);
    expect(stderr).toContain(`has a #, with which the page can't be built: ${project}`);
    project = dirname(project);
  });

  test('a Node below 20 is told to be too old', () => {
    const { status, stderr, npm } = ensure({ on: '18.20.0' });
    expect([status, npm]).toEqual([1, []]);
    expect(stderr).toContain('Node 18.20.0 is too old: please install Node 20 or newer');
  });

  test('only what is missing is installed: for tests everything, else what building and serving need', () => {
    expect(ensure({}).npm).toEqual([expect.stringMatching(/--omit=dev$/)]);
    rmSync(join(project, 'calls'));
    isInstalled(SERVE);
    expect(ensure({}).npm).toEqual([]);
    expect(ensure({ args: ['--tests'] }).npm).toEqual([expect.stringMatching(/--include=dev$/)]);
    rmSync(join(project, 'calls'));
    isInstalled(SERVE, TEST);
    expect(ensure({ args: ['--tests'] }).npm).toEqual([]);
    rmSync(join(project, 'node_modules/a'), { recursive: true });
    expect(ensure({}).npm, 'a package that somebody deleted').toHaveLength(1);
  });
});

test('what building and serving import is among the packages that they install', () => {
  const { dependencies } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const files = globSync('{contract,desk,publish,server,settings,site}/**/*.{ts,tsx}', {
    cwd: PROJECT_ROOT,
  })
    .filter((path) => !path.includes('.test.'))
    .map((path) => readFileSync(join(PROJECT_ROOT, path), 'utf8'))
    .filter((text) => !text.includes("from 'vitest'"));
  const named = files.flatMap((text) =>
    [...text.matchAll(/^(?:import(?! type)|export|\}).* from '([^.'][^']*)'|import\('([^.'][^']*)'\)/gm)].map(
      ([, from, inside]) => from ?? inside ?? '',
    ),
  );
  const packages = new Set(named.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? ''));
  expect(packages).toContain('vite');
  expect(
    [...packages].filter(
      (name) => !name.startsWith('node:') && !builtinModules.includes(name) && !(name in dependencies),
    ),
  ).toEqual([]);
});

test('no lock file names a place to download from, so that each machine asks its own registry', () => {
  for (const folder of ['.', 'bench', 'runtime']) {
    const lock = readFileSync(join(PROJECT_ROOT, folder, 'package-lock.json'), 'utf8');
    expect([folder, lock.includes('"resolved"')]).toEqual([folder, false]);
  }
});
