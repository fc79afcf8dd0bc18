import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { submit, watchProcess } from '../tests/support/service/server-process.ts';
import { copyProject } from '../tests/support/site/copy-project.ts';

test('in development, this machine alone sees the page, and a change or a mistake as soon as a file is saved', async () => {
  const copy = copyProject();
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const child = spawn(process.execPath, ['publish/dev.ts'], {
    cwd: copy,
    // It listens on this machine alone, whatever HOST says.
    env: { PATH: process.env.PATH, HOST: '0.0.0.0', PORT: '0' },
  });
  const { says } = watchProcess(child);
  const [, port] = await says(/The page +http:\/\/localhost:(\d+)/);
  const url = `http://localhost:${port}`;
  expect(await submit(url, 'Hello')).toBe(200);
  await expect(fetch(`http://127.0.0.2:${port}`)).rejects.toThrow();

  const page = async () => (await fetch(url)).text();
  const save = (words: string) => writeFileSync(join(copy, 'mine/words.json'), words);
  save('{ "hero": { "headline": "Mine" } }');
  await expect.poll(page).toMatch(/<h1[^>]*>Mine/);
  save('{ "hero": {\n  "headline": "" } }');
  await says(/mine\/words\.json, line 2: hero → headline is empty/);
  expect(await page()).toMatch(/<h1[^>]*>Mine/);
});
