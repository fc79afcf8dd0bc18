import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { main } from '../../../desk/desk-command.ts';

/**
 * A process that runs one desk command after another, since most of a command's time is the start of its process.
 * Each run has its own arguments, environment, folder, clock and output, and ends when its process would have ended.
 */
export type HostedRun = { folder: string; args: string[]; env: Record<string, string> };

const now = Date.now;

// Node opens them when they're first named; no command is waited for because it did that.
void [process.stdin, process.stdout, process.stderr];

process.on('message', async ({ folder, args, env }: HostedRun) => {
  const idle = process.getActiveResourcesInfo().length;
  process.chdir(folder);
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Date.now = () => now() + Number(env.TEST_CLOCK_SHIFT);
  process.exitCode = undefined;
  const out = replaceStream('stdout');
  const err = replaceStream('stderr');
  try {
    await main();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  }
  // A command that leaves a connection or a timer behind would keep its process alive.
  while (process.getActiveResourcesInfo().length > idle) await setImmediate();
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  process.send?.({ code, out: out(), err: err() });
});
process.on('disconnect', () => process.exit());

/** Returns what was written since. */
function replaceStream(name: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = [];
  const value = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  Object.defineProperty(process, name, { value, configurable: true });
  return () => Buffer.concat(chunks).toString();
}
