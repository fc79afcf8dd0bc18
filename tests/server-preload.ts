import { ServerResponse } from 'node:http';

/**
 * Loaded into the server before anything else of it, by tests that need its clock to stand elsewhere or
 * its end to come between two certain steps. The server itself knows nothing of this.
 */
const shift = Number(process.env.TEST_CLOCK_SHIFT ?? 0);
if (shift) {
  const now = Date.now;
  Date.now = () => now() + shift;
}

if (process.env.TEST_DIE_BEFORE_ANSWER) {
  const writeHead = ServerResponse.prototype.writeHead;
  ServerResponse.prototype.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    // The message is stored; its answer is about to be written.
    if (this.req.method === 'POST' && args[0] === 200) process.kill(process.pid, 'SIGKILL');
    return Reflect.apply(writeHead, this, args);
  } as typeof writeHead;
}
