import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_ANON_KEY } from '../contract/contact-message.ts';
import { call, MESSAGE } from '../tests/support/service/open-test-service.ts';
import { copyProject } from '../tests/support/site/copy-project.ts';

test('in development, this machine alone sees the page, and a change or a mistake as soon as a file is saved', async () => {
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
  const port = /localhost:(\d+)/.exec(out)?.[1];
  const url = `http://localhost:${port}`;
  const [path, init] = call(MESSAGE, { apikey: DEFAULT_ANON_KEY });
  expect((await fetch(url + path, init)).status).toBe(200);
  await expect(fetch(`http://127.0.0.2:${port}`)).rejects.toThrow();

  const page = async () => (await fetch(url)).text();
  const save = (words: string) => writeFileSync(join(copy, 'mine/words.json'), words);
  save('{ "hero": { "headline": "Mine" } }');
  await expect.poll(page, { timeout: 120_000 }).toMatch(/<h1[^>]*>Mine/);
  save('{ "hero": {\n  "headline": "" } }');
  await expect
    .poll(() => out, { timeout: 120_000 })
    .toMatch(/mine\/words\.json, line 2: hero → headline is empty/);
  expect(await page()).toMatch(/<h1[^>]*>Mine/);
}, 300_000);
