import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { headlineOf, type Site } from '../server/visitors.ts';
import { temporaryFolder } from '../service/open-test-service.ts';
import { watchProcess } from '../service/server-process.ts';
import { freePort } from './free-port.ts';

const OPTIONS = '{\nadmin off\nskip_install_trust\nauto_https disable_redirects\n}\n';

/** Caddy as a file of ours has it for this address, on a free port and as its own authority, until the test ends. */
export async function startCaddy(file: string, address: string): Promise<Site> {
  const folder = temporaryFolder();
  const [at, port] = [join(folder, 'Caddyfile'), await freePort()];
  writeFileSync(at, OPTIONS + file.replace(address, `https://localhost:${port}`));
  const child = spawn('caddy', ['run', '--config', at, '--adapter', 'caddyfile'], {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder },
  });
  await watchProcess(child).says(/certificate obtained successfully/);
  const ca = readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8');
  const site = { host: '127.0.0.1', port, servername: 'localhost', ca };
  // It takes another moment until it shows what it has obtained.
  await expect.poll(() => headlineOf(site).catch(String)).not.toMatch(/Error/);
  return site;
}
