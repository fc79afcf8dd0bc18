import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '../server/visitors.ts';
import { temporaryFolder } from '../service/open-test-service.ts';
import { watchProcess } from '../service/server-process.ts';
import { freePort } from './free-port.ts';

const OPTIONS = '{\nadmin off\nskip_install_trust\nauto_https disable_redirects\n}\n';

/**
 * Caddy as a file of ours has it, on a free port and as its own authority, until the test ends.
 *
 * @param address what the file calls the site
 * @param under a program that runs it, and its arguments
 */
export async function startCaddy(
  file: string,
  address: string,
  env: Record<string, string> = {},
  under: string[] = [],
): Promise<Site> {
  const folder = temporaryFolder();
  const [at, port] = [join(folder, 'Caddyfile'), await freePort()];
  writeFileSync(at, OPTIONS + file.replace(address, `https://localhost:${port}`));
  const [program = '', ...args] = [...under, 'caddy', 'run', '--config', at, '--adapter', 'caddyfile'];
  const child = spawn(program, args, {
    env: { ...process.env, ...env, HOME: folder, XDG_DATA_HOME: folder },
  });
  await watchProcess(child).says(/certificate obtained successfully/);
  const ca = readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8');
  return { host: '127.0.0.1', port, servername: 'localhost', ca };
}
