import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_ANON_KEY } from '../contract/contact.ts';
import { call, MESSAGE, temporaryFolder } from '../server/open-test-service.ts';
import { ROOT } from './vite.ts';

/** `npm run dev` on a free port, its files in a folder of its own. */
async function startDev(env: Record<string, string> = {}): Promise<{ url: string; out: () => string }> {
  const folder = temporaryFolder();
  const child: ChildProcess = spawn(process.execPath, ['build/dev.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `file:${join(folder, 'contact.db')}`,
      MAIL_DIR: join(folder, 'mail'),
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
  await expect.poll(() => out, { timeout: 20_000 }).toMatch(/The page +http:\/\/localhost:\d+/);
  return { url: `http://127.0.0.1:${/localhost:(\d+)/.exec(out)?.[1]}`, out: () => out };
}

/** Node's own fetch does not send another Host. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
}

test('in development the mails can be read in the browser, and are what was sent', async () => {
  const { url, out } = await startDev();
  expect(out()).toMatch(
    /Mails +written to .*mail as \.eml files\n +Mailbox +http:\/\/localhost:\d+\/mailbox\/ shows them/,
  );
  const read = async (path: string) => (await fetch(url + path)).text();
  expect(await read('/mailbox')).toContain('No mail yet');
  const [path, init] = call({ ...MESSAGE, name: '<b>Ana</b>' }, { apikey: DEFAULT_ANON_KEY });
  expect((await fetch(url + path, init)).status).toBe(200);
  await expect.poll(() => read('/mailbox/'), { timeout: 10_000 }).toContain('New message from &lt;b&gt;Ana');
  const [, mail = ''] = /href="(\/mailbox\/[\w-]+\.eml)"/.exec(await read('/mailbox/')) ?? [];
  const shown = await read(mail);
  expect(shown).toContain('&lt;b&gt;Ana&lt;/b&gt; &lt;ana@example.org&gt;');
  expect(shown).toContain(MESSAGE.message);
  const html = await fetch(`${url}${mail}/html`);
  expect(html.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  expect(await html.text()).toContain('&lt;b&gt;Ana&lt;/b&gt;</h1>');
  for (const other of ['/mailbox/..%2fcontact.db', '/mailbox/%2e%2e/contact.db', '/mailbox/none.eml'])
    expect((await fetch(url + other)).status).not.toBe(200);
});

test('whoever is not this machine reads no mail', async () => {
  const { url } = await startDev({ HOST: '0.0.0.0' });
  expect(await statusOf(`${url}/mailbox/`, {})).toBe(200);
  expect(await statusOf(`${url}/mailbox/`, { host: 'localhost:8080' })).toBe(200);
  expect(await statusOf(`${url}/mailbox/`, { host: 'rebound.example' })).toBe(403);
  expect(await statusOf(`${url}/mailbox/`, { 'x-forwarded-for': '203.0.113.9' })).toBe(403);
  const own = Object.values(networkInterfaces())
    .flat()
    .find((network) => network?.family === 'IPv4' && !network.internal);
  if (own) {
    const { port } = new URL(url);
    expect(await statusOf(`http://${own.address}:${port}/mailbox/`, { host: 'localhost' })).toBe(403);
  }
});

test('a mail server that is set is said to be used, loudly', async () => {
  const { out } = await startDev({ SMTP_URL: 'smtp://127.0.0.1:9', CONTACT_EMAIL: 'owner@example.com' });
  expect(out()).toMatch(/Mails +REALLY SENT to owner@example\.com, through 127\.0\.0\.1:9/);
  expect(out()).not.toContain('Mailbox');
});
