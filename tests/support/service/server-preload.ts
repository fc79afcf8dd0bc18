import { subscribe } from 'node:diagnostics_channel';
import { enableCompileCache, registerHooks } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';

/**
 * Loaded before the rest of the server, by tests that need to shift its clock or shorten the lease. The server itself
 * knows nothing of this.
 */
const shift = Number(process.env.TEST_CLOCK_SHIFT ?? 0);
if (shift) {
  const now = Date.now;
  Date.now = () => now() + shift;
}

const lease = process.env.TEST_LEASE_MS;
if (lease) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith('/outbox/loop.ts')) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array).toString();
      const shorter = source.replace(/(?<=^const LEASE_MS = )[\d_]+/m, lease);
      if (shorter === source) throw new Error('loop.ts has no LEASE_MS to shorten');
      return { ...loaded, source: shorter };
    },
  });
}

// The tests start hundreds of processes, and half of a start is compiling.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/compiled'));

// The server logs the port too, except when the log is what fails.
subscribe('tracing:net.server.listen:asyncEnd', (event) => {
  const { server } = event as { server: Server };
  process.send?.((server.address() as AddressInfo).port);
});
