import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { eachField } from '../contract/contact-message.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { startServer, submit } from '../tests/support/service/server-process.ts';
import { openLogs } from './log.ts';

function open(path: string, flags: string | number): number {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
}

/** Its reader and writer both, so that it's never without one. */
function openPipe(): number {
  const fifo = join(temporaryFolder(), 'fifo');
  execFileSync('mkfifo', [fifo]);
  return open(fifo, constants.O_RDWR | constants.O_NONBLOCK);
}

test('on a terminal the log is lines to read, and still holds nothing personal', async () => {
  const output = new PassThrough();
  const { log, end } = openLogs('info', Object.assign(output, { isTTY: true }));
  log.info({ id: '01a1' }, 'mail sent');
  log.warn({ ...eachField(() => 'Ana Souza'), err: new Error('ana@example.org') }, 'mail not sent');
  log.debug('not asked for');
  await end();
  const text = output.read().toString();
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: mail sent \{"id":"01a1"\}\n/);
  expect(text).toMatch(/WARN.*: mail not sent/);
  expect(text).not.toMatch(/Ana|example\.org|not asked for/);
});

test('lines that find no room wait up to a bound, and come in their order once there is room again', async () => {
  const fd = openPipe();
  const { log, end } = openLogs('info', new Socket({ fd, readable: false, writable: true }));
  const many = 30_000;
  for (let line = 0; line < many; line += 1) log.info({ line }, 'x'.repeat(40));
  await end();
  let text = '';
  const bytes = Buffer.alloc(2 ** 16);
  // The reader is back, and reads until the log has caught up.
  for (log.info('and on'); !text.includes('and on'); await setImmediate()) {
    try {
      text += bytes.toString('latin1', 0, readSync(fd, bytes));
    } catch {
      // Nothing to read right now.
    }
    if (text.length > 500_000 && !text.includes('and on')) log.info('and on');
  }
  const lines = text.match(/.+\n/g)?.map((line) => JSON.parse(line)) ?? [];
  const kept = lines.filter(({ line }) => line !== undefined);
  expect(kept.map(({ line }) => line)).toEqual([...Array(kept.length).keys()]);
  expect(kept.length).toBeLessThan(many);
});

/** Full from the start, and nobody reads it. */
function fullPipe(): number {
  const fd = openPipe();
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
