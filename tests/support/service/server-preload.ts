import { subscribe } from 'node:diagnostics_channel';
import type { AddressInfo, Server } from 'node:net';

// Loaded before the rest of a server, unknown to it, by tests that shift its clock or need to know its port.
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
