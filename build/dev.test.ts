import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_ANON_KEY } from '../contract/contact-message.ts';
import { inLongRun } from '../tests/long.ts';
import { COMPILED } from '../tests/support/service/compiled.ts';
import { call, MESSAGE, temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { ROOT } from './vite.ts';

/** `npm run dev` on a free port, with its own folder for files. */
async function startDev(
  env: Record<string, string> = {},
  folder = temporaryFolder(),
): Promise<{ url: string; out: () => string }> {
  const child: ChildProcess = spawn(process.execPath, ['build/dev.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      ...COMPILED,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `file:${join(folder, 'contact.db')}`,
      MAIL_DIR: join(folder, 'mail'),
      WORDS_DIR: join(folder, 'words'),
      ...env,
    },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      out += chunk;
    });
  }
  const exited = new Promise((resolve) => void child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await expect.poll(() => out).toMatch(/The page +http:\/\/localhost:\d+/);
  return { url: `http://127.0.0.1:${/localhost:(\d+)/.exec(out)?.[1]}`, out: () => out };
}

type Answer = { status: number | undefined; body: string; readable: boolean };

/** Not `fetch`, which normalizes the path and can't send a different Host. */
function ask(url: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, async (response) => {
      let body = '';
      for await (const chunk of response.setEncoding('latin1')) body += chunk;
      const readable = response.headers['access-control-allow-origin'] !== undefined;
      resolve({ status: response.statusCode, body, readable });
    })
      .once('upgrade', (_, socket) => {
        socket.destroy();
        resolve({ status: 101, body: '', readable: false });
      })
      .once('error', reject)
      .end();
  });
}

test('in development the mails are files, as with npm start', async () => {
  const folder = temporaryFolder();
  const { url, out } = await startDev({}, folder);
  const mails = join(folder, 'mail');
  expect(out()).toContain(`written to ${mails} as .eml files`);
  const [path, init] = call(MESSAGE, { apikey: DEFAULT_ANON_KEY });
  expect((await fetch(url + path, init)).status).toBe(200);
  await expect.poll(() => (existsSync(mails) ? readdirSync(mails).join() : '')).toMatch(/\.eml$/);
});

test('a mail server that is set is said to be used, loudly', async () => {
  const { out } = await startDev({ SMTP_URL: 'smtp://127.0.0.1:9', CONTACT_EMAIL: 'owner@example.com' });
  expect(out()).toMatch(/Mails +REALLY SENT to owner@example\.com, through 127\.0\.0\.1:9/);
});

test('a file of the owner’s that comes, changes or goes is shown, and a mistake in it is named', async () => {
  const folder = temporaryFolder();
  const { url } = await startDev({}, folder);
  const words = join(folder, 'words');
  const page = async () => (await ask(url, '/')).body;
  expect(await page()).toMatch(/<h1[^>]*>Fix What/);
  // As a browser does that shows the page.
  for (const file of ['hero.ts', 'founder.ts']) await ask(url, `/site/content/${file}`);
  const reloads = await countReloads(url);

  for (const headline of ['Mine at first', 'Mine again']) {
    writeFileSync(join(words, 'words.json'), `{ "hero": { "headline": "${headline}" } }`);
    await expect.poll(page).toMatch(new RegExp(`<h1[^>]*>${headline}`));
  }
  writeFileSync(join(words, 'words.json'), '{ "hero": {\n  "headline": "" } }');
  await expect.poll(page).toMatch(/\/words\/words\.json, line 2: \S+headline\S+ of \S+hero\S+ is empty/);
  rmSync(join(words, 'words.json'));
  await expect.poll(page).toMatch(/<h1[^>]*>Fix What/);
  const before = reloads();
  copyFileSync(join(ROOT, 'docs/page.png'), join(words, 'founder.png'));
  await expect.poll(page).toContain('/416.avif 416w');
  await expect.poll(reloads).toBeGreaterThan(before);
});

/** How often the server has told browsers to load the page again. */
async function countReloads(url: string): Promise<() => number> {
  let count = 0;
  const socket = new WebSocket(url, 'vite-hmr');
  onTestFinished(() => socket.close());
  socket.addEventListener('message', ({ data }) => {
    if (JSON.parse(data).type === 'full-reload') count += 1;
  });
  await once(socket, 'open');
  return () => count;
}

/** One file's path, spelled in every way that's known to have fooled a development server. */
function spellings(file: string): string[] {
  const encoded = encodeURIComponent(file);
  const inRoot = `/@fs${ROOT}`;
  const queries = [
    '?raw',
    '?url',
    '?inline',
    '?import',
    '?import&raw',
    '?raw??',
    '?.svg?.wasm?init',
    '?direct',
  ];
  const asked = [`/${file}`, `${inRoot}${file}`].flatMap((path) => queries.map((query) => path + query));
  const dots = [
    '/site/../',
    '/site/..%2f',
    '/site/%2e%2e/',
    '/site/..%5c',
    '/site/..\\',
    '/./',
    '//',
    '/%2f',
  ];
  return [
    ...asked,
    ...dots.flatMap((way) => [way + file, way + encoded]),
    `/${file}`,
    `/${encoded}`,
    `/${file.toUpperCase()}`,
    `/${file}/`,
    `/${file}%00.svg`,
    `/${file}.map`,
    `${inRoot}${file}`,
    `${inRoot}site/../${file}`,
    `/@fs/${inRoot}${file}`,
    `/@fs/${encodeURIComponent(ROOT + file)}`,
    `/@id/${ROOT}${file}`,
    `/@id/__x00__${ROOT}${file}`,
    `/node_modules/.vite/deps/../../../${file}`,
    `/site/islands/main.ts/../../../${file}`,
    `http://localhost/${file}`,
  ];
}

test('a refusal is said in the owner’s words as soon as the page shows them', async () => {
  const folder = temporaryFolder();
  const { url } = await startDev({}, folder);
  const refuse = async () =>
    (await fetch(`${url}/functions/v1/nothing`, { method: 'POST' }).then((answer) => answer.json())).error;
  expect(await refuse()).toMatch(/^Your message was not sent/);
  const own = '{ "refusals": { "unknownFunction": "Il n’y a rien ici." } }';
  writeFileSync(join(folder, 'words/words.json'), own);
  await expect.poll(async () => (await fetch(url)).ok && refuse()).toBe('Il n’y a rien ici.');
});

test('nothing of the project but the page’s own files can be read, however it is asked for', async () => {
  // Inside the project, where it is by default and where `.gitignore` covers it.
  mkdirSync(join(ROOT, 'data'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'data/dev-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { url } = await startDev({ HOST: '0.0.0.0' }, folder);
  const canary = 'canary-of-the-development-server';
  const [path, init] = call({ ...MESSAGE, message: canary }, { apikey: DEFAULT_ANON_KEY });
  expect((await fetch(url + path, init)).status).toBe(200);
  const mails = join(folder, 'mail');
  await expect.poll(() => (existsSync(mails) ? readdirSync(mails).join() : '')).toMatch(/\.eml$/);

  const within = folder.slice(ROOT.length);
  const kept = ['contact.db', `mail/${readdirSync(mails)[0]}`].map((name) => `${within}/${name}`);
  const others = inLongRun(
    ['.env', '.env.example', '.git/config', 'package.json', 'settings/settings.ts', 'build/dev.ts'],
    // One of each kind.
    ['.env', 'package.json', 'settings/settings.ts'],
  );
  for (const file of kept) expect(existsSync(join(ROOT, file)), file).toBe(true);
  for (const address of [...kept, ...others].flatMap(spellings)) {
    const { status, body } = await ask(url, address);
    expect([403, 404], address).toContain(status);
    expect(body, address).not.toMatch(
      /canary-of-the|SQLite format|"dependencies"|PROJECT_ROOT|repositoryformat/,
    );
  }
  for (const address of [
    '/',
    '//',
    '/@vite/',
    '/@fs/etc/passwd',
    '/__open-in-editor?file=package.json',
    '/data/',
  ])
    expect((await ask(url, address)).body, address).not.toMatch(/canary-of-the|root:x:/);
  expect((await ask(url, '/__open-in-editor?file=package.json')).status).toBe(404);
});

test('everything that the page asks of Vite is served, and its styles and scripts with it', async () => {
  const { url } = await startDev();
  const page = (await ask(url, '/')).body;
  const linked = [...page.matchAll(/<(?:script|link)[^>]*\s(?:(?:data-)?src|href)="(\/[^"]*)"/g)];
  const found = new Set(linked.map(([, path = '']) => path.replaceAll('&amp;', '&')));
  expect([...found]).toEqual(expect.arrayContaining(['/@vite/client', '/@dev-entry']));
  for (const path of found) {
    const { status, body } = await ask(url, path);
    expect(status, path).toBe(200);
    for (const [, named = ''] of body.matchAll(/^import\s(?:[^"';]*\sfrom\s)?\s*["']([^"']+)["']/gm))
      found.add(new URL(named, url + path).href.slice(url.length));
  }
  expect([...found].join('\n')).toMatch(/site\/islands[\s\S]*\.css/);
  expect([...found].join('\n')).toMatch(/node_modules\/\.vite\/deps\/react/);
});

test('a stranger’s host gets nothing from any handler, and a stranger’s page can read nothing', async () => {
  const { url } = await startDev({ HOST: '0.0.0.0', SITE_URL: 'https://www.example.com' });
  const { host, port } = new URL(url);
  const hotReload = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  const paths = ['/', '/none', '/site/Page.tsx', '/@vite/client', '/healthz', '/readyz', call()[0]];
  for (const path of paths) {
    for (const stranger of [`rebound.example:${port}`, 'localhost.rebound.example', 'file:///etc'])
      expect((await ask(url, path, { host: stranger })).status, `${path} at ${stranger}`).toBe(403);
  }
  for (const protocol of ['vite-hmr', 'vite-ping']) {
    const headers = { ...hotReload, 'sec-websocket-protocol': protocol };
    await expect(ask(url, '/', { ...headers, host: 'rebound.example' })).rejects.toThrow();
    await expect(ask(url, '/', { ...headers, origin: 'http://localhost:3000' })).rejects.toThrow();
    expect((await ask(url, '/', headers)).status).toBe(101);
  }
  for (const own of [host, `localhost:${port}`, '192.0.2.7', `[::1]:${port}`, 'www.example.com'])
    expect((await ask(url, '/site/Page.tsx', { host: own })).status, own).toBe(200);
  for (const origin of [
    'http://localhost:3000',
    'https://stranger.example',
    'null',
    `http://127.0.0.2:${port}`,
  ]) {
    for (const path of paths.slice(0, -1))
      expect(await ask(url, path, { origin }), `${path} for ${origin}`).toMatchObject({
        status: 403,
        readable: false,
      });
  }
  expect(await ask(url, '/site/Page.tsx', { origin: url })).toMatchObject({ status: 200, readable: false });
});
