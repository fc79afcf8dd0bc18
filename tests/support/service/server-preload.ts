import { subscribe } from 'node:diagnostics_channel';
import type { AddressInfo, Server } from 'node:net';

/**
 * Loaded before the rest of the server, by tests that need to shift its clock or to know its port. The server itself
 * knows nothing of this.
 */
const shift = Number(process.env.TEST_CLOCK_SHIFT ?? 0);
if (shift) {
  const now = Date.now;
  Date.now = () => now() + shift;
}

// The server logs the port too, except when the log is what fails.
subscribe('tracing:net.server.listen:asyncEnd', (event) => {
  const { server } = event as { server: Server };
  process.send?.((server.address() as AddressInfo).port);
});
