import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_ANON_KEY } from '../contract/contact-message.ts';
import { call, MESSAGE } from '../tests/support/service/open-test-service.ts';
import { copyProject } from '../tests/support/site/copy-project.ts';

/** `npm run dev` on a free port, in a copy of the project. */
async function startDev() {
  const copy = copyProject();
  const child = spawn(process.execPath, ['publish/dev.ts'], {
    cwd: copy,
    // It listens on this machine alone, whatever HOST says.
    env: { PATH: process.env.PATH, HOST: '0.0.0.0', PORT: '0' },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(copy, { recursive: true, force: true });
  });
  await expect.poll(() => out, { timeout: 120_000 }).toMatch(/The page +http:\/\/localhost:\d+/);
  return { copy, port: Number(/localhost:(\d+)/.exec(out)?.[1]) };
}

/** Not `fetch`, which can't send another Host. */
const statusFor = (hostname: string, port: number, host: string) =>
  new Promise((resolve, reject) => {
    get({ hostname, port, headers: { host } }, ({ statusCode }) => resolve(statusCode)).once('error', reject);
  });

test('in development, this machine alone sees the page, and a change or a mistake as soon as a file is saved', async () => {
  const { copy, port } = await startDev();
  const url = `http://localhost:${port}`;
  const page = async () => (await fetch(url)).text();
  const [path, init] = call(MESSAGE, { apikey: DEFAULT_ANON_KEY });
  expect((await fetch(url + path, init)).status).toBe(200);

  // The port is this machine's alone, and under its own names alone.
  await expect(statusFor('127.0.0.2', port, 'localhost')).rejects.toThrow('ECONNREFUSED');
  expect(await statusFor('127.0.0.1', port, `rebound.example:${port}`)).toBe(403);
  expect((await fetch(`${url}/package.json`)).status).toBe(404);

  const version = async () => (await fetch(`${url}/@version`)).text();
  expect(await page()).toContain(`<script src="/@reload.js?${await version()}"></script>`);
  expect(await (await fetch(`${url}/@reload.js`)).text()).toContain('location.reload()');
  for (const [words, shown] of [
    ['{ "hero": { "headline": "Mine" } }', /<h1[^>]*>Mine/],
    ['{ "hero": {\n  "headline": "" } }', /mine\/words\.json, line 2: hero → headline is empty/],
    ['{ "hero": { "headline": "Mine again" } }', /<h1[^>]*>Mine again/],
  ] as const) {
    const before = await version();
    writeFileSync(join(copy, 'mine/words.json'), words);
    await expect.poll(version, { timeout: 120_000 }).not.toBe(before);
    expect(await page()).toMatch(shown);
  }
}, 300_000);
