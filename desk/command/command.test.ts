import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { explain } from './failures.ts';

const SCRIPT = `
  const { openSync, closeSync } = await import('node:fs');
  const { explain } = await import('./desk/command/failures.ts');
  const { runCommand } = await import('./desk/command/run.ts');
  const tell = () =>
    Array.fromAsync(runCommand(['help'])).then((said) => String(Buffer.concat(said)), explain);
  const open = [];
  try {
    for (;;) open.push(openSync(process.execPath));
  } catch {}
  const full = await tell();
  for (const file of open) closeSync(file);
  console.log(JSON.stringify([full, await tell()]));`;

test.skipIf(process.platform === 'win32')(
  'a command that the machine has no room for is told of, and ends nothing else',
  async () => {
    // In a group of its own, since all of that would be ended.
    const args = ['-c', 'ulimit -n 100; "$0" --input-type=module -e "$1"', process.execPath, SCRIPT];
    const child = spawn('sh', args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const said = JSON.parse((await text(child.stdout)) || '[]');
    expect(said).toEqual([
      expect.stringMatching(/too much to do .*EMFILE.*Try again/),
      expect.stringContaining('npm run desk'),
    ]);
  },
);

test('a full disk is called that, and not a want of rights, whatever found no room on it', async () => {
  const full = await writeFile('/dev/full', 'x').catch((error) => error);
  const copied = Object.assign(new Error('no space'), { code: full.code, path: 'page/favicon.ico' });
  const stored = Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
  for (const error of [full, copied, stored]) expect(explain(error)).toMatch(/^The disk is full \(\w+\)\./);
});
