import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { newPostgresDatabase } from './support/database/new-database.ts';
import { runSql } from './support/database/postgres-server.ts';
import { freePort } from './support/network/free-port.ts';
import { headlineOf, startVisitors } from './support/server/visitors.ts';
import { startServer, watchProcess } from './support/service/server-process.ts';
import { temporaryFolder } from './support/service.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const SETTINGS = Object.keys(parseEnv(read('.env.example')));
const PAPERS = globSync('docs/deploy*', { cwd: ROOT });
const DEPLOY = globSync('deploy/{*.*,Caddyfile,container/*}', { cwd: ROOT });

test('each container of the compose file is fenced', () => {
  const text = read('deploy/compose.yml');
  const count = (line: RegExp) => text.match(line)?.length;
  expect(count(/^ {4}(<<: \*fenced|read_only: true)$/gm)).toBe(count(/^ {4}(image|build): /gm));
  for (const fence of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: [no-new-privileges]'])
    expect(text).toContain(fence);
});

test('each setting comes from the image or is passed on by the compose file', () => {
  const handedOn = read('deploy/compose.yml').match(/(?<=^ {6}- )[A-Z_]+$/gm) ?? [];
  const [, own = ''] = /^ENV (.*?[^\\])$/ms.exec(read('Dockerfile')) ?? [];
  const ofImage = [...own.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name);
  expect([...handedOn, ...ofImage.filter((name) => name !== 'NODE_ENV')].toSorted()).toEqual(
    SETTINGS.toSorted(),
  );
});

test('an address with a trailing slash works for Caddy, too', () => {
  const [, command = ''] = /command: \[sh, -c, '(.*)'\]/.exec(read('deploy/compose.yml')) ?? [];
  const shown = command.replaceAll('$$', '$').replace(/caddy run .*/, 'printenv SITE_URL');
  const env = { ...process.env, SITE_URL: 'https://www.example.com/' };
  expect(spawnSync('sh', ['-c', shown], { env }).stdout.toString()).toBe('https://www.example.com\n');
});

test('the image gets every folder that building and serving need, and nothing that is private', () => {
  const allowed = read('.dockerignore').match(/(?<=^!)\S+/gm) ?? [];
  for (const path of allowed) expect(existsSync(join(ROOT, path)), path).toBe(true);
  const needed = ['publish', 'contract', 'desk', 'server', 'settings', 'site', 'supabase'];
  expect(allowed).toEqual(expect.arrayContaining([...needed, 'deploy/container', 'package-lock.json']));
  expect(allowed.filter((path) => /^(\.env|data|mine|node_modules|\.git)$/.test(path))).toEqual([]);
});

test('every setting named in the deployment docs and files exists', () => {
  const others =
    /^(NODE_ENV|NODE_NO_WARNINGS|DEBIAN_FRONTEND|LC_ALL|SMTP_(?:ADDRESS|PORT|USERNAME|PASSWORD)|MAILER_FROM_ADDRESS|SUPABASE_\w+|SB_REGION)$/;
  for (const path of ['Dockerfile', ...PAPERS, ...DEPLOY]) {
    const named = read(path).match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=[=`])|\b(?:HOST|PORT)(?==)/g) ?? [];
    const unknown = named.filter((name) => !SETTINGS.includes(name) && !others.test(name));
    expect(unknown, path).toEqual([]);
  }
});

const caddy = spawnSync('caddy', ['version'], { encoding: 'utf8' });
const hasCaddy = caddy.status === 0;
/** Older ones lose the body when they resend a request, and Debian 12 has one of these. */
const sendsAgain = hasCaddy && /^v?(2\.11\.([2-9]|\d\d)|2\.(1[2-9]|[2-9]\d)\.)/.test(caddy.stdout);

/** Caddy with a file of ours, which calls the site `address`, on a free port and as its own authority. */
async function startCaddy(file: string, address: string) {
  const folder = temporaryFolder();
  const [at, port] = [join(folder, 'Caddyfile'), await freePort()];
  const options = '{\nadmin off\nskip_install_trust\nauto_https disable_redirects\n}\n';
  writeFileSync(at, options + file.replace(address, `https://localhost:${port}`));
  const child = spawn('caddy', ['run', '--config', at, '--adapter', 'caddyfile'], {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder },
  });
  await watchProcess(child).says(/certificate obtained successfully/);
  const ca = readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8');
  const site = { host: '127.0.0.1', port, servername: 'localhost', ca };
  // It takes another moment to use the new certificate.
  await expect.poll(() => headlineOf(site).catch(String)).not.toMatch(/Error/);
  return site;
}

const several = /```caddyfile\n(.*?)```/s.exec(read('docs/deploy-several.md'))?.[1] ?? '';
for (const [title, servers, isHere, file, address, upstreams] of [
  ['the only server is updated', 1, sendsAgain, read('deploy/Caddyfile'), '{$SITE_URL}', '{$SITE:site:80}'],
  ['two servers are updated in turn', 2, hasCaddy, several, 'www.example.com', '10.0.0.2:80 10.0.0.3:80'],
] as const)
  test.skipIf(!isHere)(`behind Caddy (for one, 2.11.2), ${title}, and nobody is refused`, async () => {
    const DATABASE_URL = await newPostgresDatabase();
    const start = (port: number) => startServer(temporaryFolder(), { DATABASE_URL, PORT: String(port) });
    const running = await Promise.all(Array.from({ length: servers }, async () => start(await freePort())));
    const ours = running.map(({ port }) => `127.0.0.1:${port}`).join(' ');
    const site = await startCaddy(file.replace(upstreams, ours), address);
    const visitors = startVisitors(site, { atLeast: 100, everyMs: 20 });
    for (const { port, kill, exited } of running) {
      kill('SIGTERM');
      await exited;
      // Caddy takes its time to find it healthy again.
      await (await start(port)).says(/"method":"POST"/);
    }
    const { posts, refused } = await visitors.end();
    expect(refused).toEqual([]);
    expect(await runSql(DATABASE_URL, 'select from contact_message')).toHaveLength(posts);
  });
