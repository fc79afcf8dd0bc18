import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

export async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** For servers that take no port 0. Below the ports that the system hands out, or another test could get it first. */
export async function freePort(): Promise<number> {
  for (;;) {
    const candidate = randomInt(12_000, 32_000);
    if (await isFree(candidate)) return candidate;
  }
}

function isFree(candidate: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(candidate, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
