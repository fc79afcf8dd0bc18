import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { temporaryFolder } from './support/service.ts';

describe.skipIf(process.platform === 'win32')('before a script runs', () => {
  let project: string;
  beforeEach(() => {
    project = temporaryFolder();
  });

  const LOCKED = {
    'node_modules/serve': { version: '1.0.0' },
    'node_modules/test': { version: '2.0.0', dev: true },
    /** Tests need it, and so may a package that can do without it. */
    'node_modules/either': { version: '3.0.0', devOptional: true },
    /** npm leaves this out if its Node is older than the package wants. */
    'node_modules/native': { version: '4.0.0', optional: true, os: [process.platform] },
    'node_modules/elsewhere': { version: '4.0.0', optional: true, os: ['plan9'] },
    'node_modules/other': { version: '4.0.0', optional: true, os: [process.platform], libc: ['none'] },
  };
  const FETCHED = { version: '24.21.0', optional: true, bin: { node: 'bin/node' } };

  function write(path: string, content: unknown, mode = 0o644): void {
    const file = join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  }

  function isInstalled(...paths: (keyof typeof LOCKED)[]): void {
    const all = [...paths, 'node_modules/native'] as const;
    const packages = Object.fromEntries(all.map((path) => [path, LOCKED[path]]));
    write('node_modules/.package-lock.json', { packages });
    for (const path of all) mkdirSync(join(project, path), { recursive: true });
  }

  /**
   * Runs publish/ensure-install.mjs in a small project, as if on the given version of Node. Its npm records how it was
   * called, and on which Node, and installs the Node that runtime/'s lock file asks for, as `fetched`.
   */
  function ensure({ on = '24.21.0', args = [] as string[], fetched = '' }) {
    const script = join(project, 'publish/ensure-install.mjs');
    cpSync(join(PROJECT_ROOT, 'publish/ensure-install.mjs'), script);
    write('package-lock.json', { packages: { '': {}, ...LOCKED } });
    write('runtime/package-lock.json', { packages: { '': {}, 'node_modules/node-here': FETCHED } });
    const calls = join(project, 'calls');
    rmSync(calls, { force: true });
    const installed = join(project, 'runtime/node_modules');
    write(
      'path/npm',
      `#!/bin/sh
echo "$@ on $(command -v node)" >> '${calls}'
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
      ['--import', `data:text/javascript,${encodeURIComponent(asIf)}`, script, ...args],
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

  test.each(['24.11.0', '26.0.0', '27.1.0'])('a machine that has Node %s uses it and fetches none', (on) => {
    isInstalled('node_modules/serve');
    expect(ensure({ on })).toEqual({ status: 0, stderr: '', npm: [], node: process.execPath });
  });

  test.each(['20.0.0', '22.22.0', '24.10.0', '25.9.0'])('a machine that has %s gets one, run once', (on) => {
    isInstalled('node_modules/serve');
    expect(ensure({ on, fetched: 'echo v24.21.0' })).toEqual({
      status: 0,
      stderr: '',
      npm: [expect.stringMatching(/^ci --ignore-scripts .*--prefix runtime on /)],
      node: join(project, 'runtime/node_modules/node-here/bin/node'),
    });
    // Packages are chosen for the Node that they run on, and what's left out is noticed.
    rmSync(join(project, 'node_modules/native'), { recursive: true });
    const { npm, node, stderr } = ensure({ on });
    expect(npm).toEqual([expect.stringMatching(`--omit=dev on ${node}$`)]);
    expect(stderr).toContain('npm left out what this machine needs.\nRun the same command again');
  });

  test('if the site can’t run or be built, it says why, and nothing else happens', () => {
    const old = ensure({ on: '18.20.0' });
    expect(old).toMatchObject({ status: 1, npm: [] });
    expect(old.stderr).toContain('Node 18.20.0 is too old: please install Node 20 or newer');

    isInstalled('node_modules/serve');
    const lacks = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file';
    const broken = ensure({ on: '20.0.0', fetched: `echo ${lacks} >&2; exit 127` });
    expect(broken).toMatchObject({ status: 1, node: undefined });
    expect(broken.stderr).toContain(lacks);
    expect(broken.stderr).toContain('Install what is missing, or Node 24');

    // A Mac writes a : where the Finder shows a /.
    for (const sign of ['#', ':']) {
      project = join(temporaryFolder(), `client ${sign}1`);
      const named = ensure({});
      expect(named).toMatchObject({ status: 1, npm: [] });
      expect(named.stderr).toContain(`has a ${sign}, so the page can't be built in it: ${project}`);
    }
  });

  test('only what’s missing is installed: everything for tests, otherwise what building and serving need', () => {
    const [forAll, forTests] = [{}, { args: ['--tests'] }];
    expect(ensure(forAll).npm).toEqual([expect.stringMatching(/--omit=dev on /)]);
    isInstalled('node_modules/serve');
    expect(ensure(forAll).npm).toEqual([]);
    expect(ensure(forTests).npm).toEqual([expect.stringMatching(/--include=dev on /)]);
    isInstalled('node_modules/serve', 'node_modules/test', 'node_modules/either');
    expect(ensure(forTests).npm).toEqual([]);
    rmSync(join(project, 'node_modules/serve'), { recursive: true });
    expect(ensure(forAll).npm, 'a package that somebody deleted').toHaveLength(1);
  });
});

test('no lock file names a place to download from, so that each machine asks its own registry', () => {
  for (const folder of ['.', 'runtime']) {
    const lock = readFileSync(join(PROJECT_ROOT, folder, 'package-lock.json'), 'utf8');
    expect([folder, lock.includes('"resolved"')]).toEqual([folder, false]);
  }
});
