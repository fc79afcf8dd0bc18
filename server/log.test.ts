import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { eachField } from '../contract/contact-message.ts';
import { startServer, submit } from '../tests/support/service/server-process.ts';
import { temporaryFolder } from '../tests/support/service.ts';
import { openLogs } from './log.ts';

function open(path: string, flags: string | number): number {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
}

test('on a terminal the log is lines to read, and still holds nothing personal', async () => {
  const output = new PassThrough();
  const { log, end } = openLogs('info', Object.assign(output, { isTTY: true }));
  log.info({ id: '01a1' }, 'mail sent');
  log.warn({ ...eachField(() => 'Ana Souza'), err: new Error('ana@example.org') }, 'mail not sent');
  log.debug('not asked for');
  await end();
  const said = output.read().toString();
  expect(said).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: mail sent \{"id":"01a1"\}\n/);
  expect(said).toMatch(/WARN.*: mail not sent/);
  expect(said).not.toMatch(/Ana|example\.org|not asked for/);
});

test('lines that find no room wait, up to a limit, and come in order once there is room again', async () => {
  const output = new PassThrough();
  const { log } = openLogs('info', output);
  const many = 30_000;
  for (let line = 0; line < many; line += 1) log.info({ line }, 'x'.repeat(40));
  expect(output.writableLength).toBeLessThan(2_000_000);
  const read = text(output);
  await once(output, 'drain');
  log.info({ line: many }, 'and on');
  output.end();
  const lines = (await read)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).line);
  expect(lines.pop()).toBe(many);
  expect(lines).toEqual([...lines.keys()]);
});

function fullPipe(): number {
  const fifo = join(temporaryFolder(), 'fifo');
  execFileSync('mkfifo', [fifo]);
  // Its reader and writer both, so that it's never without one.
  const fd = open(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  execFileSync('sh', ['-c', 'yes | head -c 65536'], { stdio: ['ignore', fd, 'ignore'] });
  return fd;
}

test.each([
  ['with a full disk under its log', () => ({ stdout: open('/dev/full', 'w') })],
  ['when nobody reads its log any more', () => ({ stdout: fullPipe() })],
  ['when whoever read its log is gone', () => ({})],
])('%s, the server answers, and stops when told to', async (what, options) => {
  const server = await startServer(temporaryFolder(), {}, options());
  if (what.endsWith('gone')) server.child.stdout?.destroy();
  for (let round = 0; round < 20; round += 1) {
    expect((await fetch(server.url)).status).toBe(200);
    expect(await submit(server.url, `round ${round}`)).toBe(200);
  }
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
});
