import { subscribe } from 'node:diagnostics_channel';
import { enableCompileCache } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';

/**
 * Loaded before the rest of the server, by tests that need to shift its clock or to know its port. The server itself
 * knows nothing of this.
 */
const shift = Number(process.env.TEST_CLOCK_SHIFT ?? 0);
if (shift) {
  const now = Date.now;
  Date.now = () => now() + shift;
}

// The tests start hundreds of processes, and half of a start is compiling.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/compiled'));

// The server logs the port too, except when the log is what fails.
subscribe('tracing:net.server.listen:asyncEnd', (event) => {
  const { server } = event as { server: Server };
  process.send?.((server.address() as AddressInfo).port);
});
