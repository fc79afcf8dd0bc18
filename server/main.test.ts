import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { portOf } from '../tests/support/network/free-port.ts';
import { NODE_ENVIRONMENT } from '../tests/support/service/node-environment.ts';
import { startVisits, watchProcess } from '../tests/support/service/server-process.ts';
import { call, temporaryFolder } from '../tests/support/service.ts';
import { copyProject } from '../tests/support/site/copy-project.ts';

type Texts = Record<string, string>;
const PAGE = { 'dist/index.html': '<h1>Home</h1>' };

/** Its own project folder, so no test reads or writes the real one. */
function project(files: Texts = PAGE): string {
  const folder = copyProject(temporaryFolder());
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function run(folder: string, env: Texts = {}) {
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: folder,
    env: { ...NODE_ENVIRONMENT, PORT: '0', ...env },
  });
  return { child, ...watchProcess(child) };
}

test('the server says in plain words where everything is, serves, mails and stops cleanly', async () => {
  const folder = project();
  writeFileSync(join(folder, '.env'), '\uFEFFCONTACT_EMAIL=owner@example.com\nSMTP_ULR=smtp://127.0.0.1\n');
  const server = run(folder);
  const [url] = await server.says(/http:\/\/\S+:\d+/);
  const mistyped = 'SMTP_ULR in .env isn’t a setting, so it does nothing. .env.example lists them all.';
  expect(server.out()).toContain(`  Look at   ${mistyped}\n`);
  expect(server.out()).toMatch(/stored in data\/contact\.db/);
  expect(server.out()).toMatch(/for owner@example\.com, written to data\/mail\/ as \.eml files/);
  expect(await (await fetch(url)).text()).toBe('<h1>Home</h1>');
  const [path, init] = call();
  expect((await fetch(url + path, init)).status).toBe(200);
  await expect.poll(() => server.out()).toMatch(/mail sent/);
  expect(readdirSync(join(folder, 'data/mail'))).toHaveLength(1);
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(server.err()).toBe('');
});

const NO_DATABASE = 'not a database at all, and longer than a header. '.repeat(30);

test.each<[what: string, files: Texts, env: Texts, words: RegExp]>([
  ['no built page', {}, {}, /not built yet.*npm start/s],
  ['faulty settings', PAGE, { PORT: 'http', LOG_LEVEL: 'loud' }, /2 settings are wrong.*PORT.*LOG_LEVEL/s],
  [
    'a port that is taken, and another one in .env.txt',
    { ...PAGE, '.env.txt': 'PORT=8081\n' },
    { PORT: new URL(inject('postgres')).port },
    /Port \d+ is in use.*PORT=.*\.env\.txt isn’t read/s,
  ],
  [
    'an address elsewhere',
    PAGE,
    { HOST: '192.0.2.1' },
    /HOST=192\.0\.2\.1 with PORT=0 can’t .*\(EADDRNOTAVAIL\)/,
  ],
  ['no database', { ...PAGE, 'data/contact.db': NO_DATABASE }, {}, /is damaged, or isn’t a SQLite database/],
])('%s ends the start with what to do', async (_, files, env, words) => {
  const server = run(project(files), env);
  expect(await server.exited).toBe(1);
  expect(server.err()).toMatch(words);
  expect(server.err()).not.toMatch(/\n\s+at /);
});

test('settings that have changed since `npm start` published the page with them start the server anew', async () => {
  expect(await run(project(), { ENV_SEEN: '1' }).exited).toBe(75);
});

test('a socket that systemd hands over keeps visitors waiting from one server to the next, and refuses none', async () => {
  const socket = createServer();
  const url = `http://127.0.0.1:${await portOf(socket)}`;
  // Node has no public name for it. The shell holds it open as systemd does, and notes each server's process id.
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  const one = 'echo $$ >&4; LISTEN_PID=$$ exec "$0" server/main.ts 4>&-';
  const systemd = spawn('sh', ['-c', `while sh -c '${one}' "$0"; do :; done`, process.execPath], {
    cwd: project(),
    env: { ...NODE_ENVIRONMENT, LISTEN_FDS: '1' },
    stdio: ['ignore', 'ignore', 'ignore', fd, 'pipe'],
  });
  let numbers = '';
  systemd.stdio[4]?.on('data', (text) => {
    numbers += text;
  });
  const running = () => Number(numbers.trim().split('\n').at(-1));
  onTestFinished(() => {
    systemd.kill('SIGKILL');
    process.kill(running(), 'SIGKILL');
  });
  // From here on, only servers accept.
  socket.close();
  await expect.poll(running).toBeGreaterThan(0);
  const end = startVisits(url);
  for (let restart = 0; restart < 2; restart += 1) {
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const before = running();
    process.kill(before, 'SIGTERM');
    await expect.poll(running, { timeout: 15_000 }).not.toBe(before);
  }
  expect(await end()).toEqual([200]);
}, 30_000);

test.each(['server/main.ts', 'desk/desk-command.ts'])('a crash of %s repeats no secret', async (program) => {
  // As \`new URL\` throws it: with the whole address in the message and beside it.
  const thrower = `setInterval(() => {
    if (process.listenerCount('uncaughtException') > 0)
      throw Object.assign(new TypeError('smtp://me:hunter2@host'), { code: 'ERR_INVALID_URL', input: 'hunter2' });
  }, 5)`;
  const file = join(temporaryFolder(), 'thrower.mjs');
  writeFileSync(file, thrower);
  const args = ['--import', file, join(import.meta.dirname, '..', program), 'list'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project(),
    env: { ...process.env, DATABASE_URL: 'file:./none/contact.db' },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toContain('ERR_INVALID_URL');
  expect(stdout + stderr).not.toContain('hunter2');
});
