import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_ANON_KEY } from '../contract/contact-message.ts';
import { portOf } from '../tests/support/network/free-port.ts';
import { COMPILED } from '../tests/support/service/compiled.ts';
import { call, temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { watchProcess } from '../tests/support/service/server-process.ts';

const ROOT = join(import.meta.dirname, '..');

/** Its own project folder, so no test reads or writes the real one. */
function project({ built = true, data = '' } = {}): string {
  const folder = temporaryFolder();
  for (const name of ['contract', 'server', 'settings', 'supabase', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  if (built) {
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/index.html'), '<h1>Home</h1>');
  }
  if (data) {
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/contact.db'), data);
  }
  return folder;
}

function run(folder: string, env: Record<string, string> = {}, args: string[] = []) {
  const child = spawn(process.execPath, ['server/main.ts', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...COMPILED, PORT: '0', ...env },
  });
  return { child, ...watchProcess(child) };
}

test('the server says in plain words where everything is, serves, mails, and stops cleanly', async () => {
  const folder = project();
  writeFileSync(join(folder, '.env'), '\uFEFFCONTACT_EMAIL=owner@example.com\nSMTP_ULR=smtp://127.0.0.1\n');
  const server = run(folder);
  const [url] = await server.says(/http:\/\/\S+:\d+/);
  const mistyped =
    'SMTP_ULR in .env isn’t a setting, so it changes nothing. .env.example lists every setting.';
  expect(server.out()).toContain(`  Look at   ${mistyped}\n`);
  expect(server.out()).toContain(`"problem":"${mistyped}","msg":"unknown setting"`);
  expect(server.out()).toMatch(/stored in data\/contact\.db/);
  expect(server.out()).toMatch(/for owner@example\.com, written to data\/mail\/ as \.eml files/);
  expect(await (await fetch(url)).text()).toBe('<h1>Home</h1>');
  const [path, init] = call(undefined, { apikey: DEFAULT_ANON_KEY });
  expect((await fetch(url + path, init)).status).toBe(200);
  await expect.poll(() => server.out()).toMatch(/mail sent/);
  expect(readdirSync(join(folder, 'data/mail'))).toHaveLength(1);
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(server.err()).toBe('');
});

const NO_DATABASE = 'not a database at all, and longer than a header. '.repeat(30);

test.each([
  ['no built page', { built: false }, async () => ({}), /not built yet.*npm start/s],
  [
    'faulty settings',
    {},
    async () => ({ PORT: 'http', LOG_LEVEL: 'loud' }),
    /2 settings are wrong.*PORT.*LOG_LEVEL/s,
  ],
  ['a port that is taken', {}, async () => ({ PORT: await takenPort() }), /Port \d+ is in use.*PORT=/s],
  ['no database', { data: NO_DATABASE }, async () => ({}), /is damaged, or is no SQLite database/],
])('%s ends the start with what to do', async (_, options, env, words) => {
  const server = run(project(options), await env());
  expect(await server.exited).toBe(1);
  expect(server.err()).toMatch(words);
  expect(server.err()).not.toMatch(/\n\s+at /);
});

async function takenPort(): Promise<string> {
  const other = createServer();
  onTestFinished(() => void other.close());
  return String(await portOf(other));
}

test('asked for its version or for help, the program answers and starts nothing, whatever the settings', async () => {
  const folder = project({ built: false });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const asked = run(folder, { PORT: 'http' }, ['--version']);
  expect(await asked.exited).toBe(0);
  expect(asked.out()).toBe(`blueprint-operations-site ${version}\nNode ${process.versions.node}\n`);
  const help = run(folder, { PORT: 'http' }, ['--help']);
  expect(await help.exited).toBe(0);
  expect(help.out()).toMatch(/^Usage: npm start.*--version.*npm run desk/s);
  expect(asked.err() + help.err()).toBe('');
  for (const args of [['--port'], ['dist', 'other']]) {
    const wrong = run(folder, {}, args);
    expect(await wrong.exited).toBe(2);
    expect(wrong.err()).toContain(`“${args.at(-1)}” isn’t known here.\n\nUsage: npm start`);
  }
  expect(readdirSync(folder)).not.toContain('data');
});

test('a socket that systemd hands over keeps visitors waiting from one server to the next, and refuses none', async () => {
  const socket = createServer();
  const url = `http://127.0.0.1:${await portOf(socket)}`;
  // Node has no public name for it. The shell holds it open as systemd does, and writes down each server's number.
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  const one = 'echo $$ >&4; LISTEN_PID=$$ exec "$0" server/main.ts 4>&-';
  const systemd = spawn('sh', ['-c', `while sh -c '${one}' "$0"; do :; done`, process.execPath], {
    cwd: project(),
    env: { PATH: process.env.PATH ?? '', ...COMPILED, LISTEN_FDS: '1' },
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
  const answers = new Set<string>();
  let isOver = false;
  const visit = async () => {
    while (!isOver) {
      const response = await fetch(`${url}/`, { headers: { connection: 'close' } });
      answers.add(`${response.status} ${await response.text()}`);
    }
  };
  await expect.poll(running).toBeGreaterThan(0);
  const visits = [visit(), visit(), visit()];
  for (let restart = 0; restart < 2; restart += 1) {
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const before = running();
    process.kill(before, 'SIGTERM');
    await expect.poll(running, { timeout: 15_000 }).not.toBe(before);
  }
  isOver = true;
  await Promise.all(visits);
  expect([...answers]).toEqual(['200 <h1>Home</h1>']);
}, 30_000);

test.each(['server/main.ts', 'desk/desk-command.ts'])(
  'an error that nobody expected ends %s without its words',
  async (program) => {
    // As \`new URL\` throws it: with the whole address in the message and beside it.
    const thrower = `setInterval(() => {
    if (process.listenerCount('uncaughtException') > 0)
      throw Object.assign(new TypeError('smtp://me:hunter2@host'), { code: 'ERR_INVALID_URL', input: 'hunter2' });
  }, 5)`;
    const file = join(temporaryFolder(), 'thrower.mjs');
    writeFileSync(file, thrower);
    const args = ['--import', file, join(ROOT, program), 'list'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: project(),
      env: { ...process.env, DATABASE_URL: 'file:./none/contact.db' },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('ERR_INVALID_URL');
    expect(stdout + stderr).not.toContain('hunter2');
  },
);
