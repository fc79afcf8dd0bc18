import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../tests/support/network/free-port.ts';
import { type Served, start } from './servers.ts';
import { median, row, spread } from './spread.ts';

const SECONDS = 3;

/** `GET /` on one core, alternating with nginx sending the same compressed file from the same core. */
export async function throughput(
  { url, process: server }: Served,
  site: string,
  folder: string,
  runs: number,
): Promise<void> {
  for (const tool of ['wrk', 'nginx', 'taskset'])
    if (spawnSync('which', [tool]).status !== 0) throw new Error(`${tool} is not installed`);
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {} http { access_log off; sendfile on; keepalive_requests 100000000; gzip_static on; default_type text/html;
server { listen 127.0.0.1:${port}; root ${site}; location = / { try_files /index.html =404; } } }`,
  );
  start('taskset', ['-c', '0', 'nginx', '-c', config, '-p', folder]);
  spawnSync('taskset', ['-a', '-c', '-p', '0', String(server.pid)]);
  await wait(1000);
  load(`${url}/`, 2);
  const [ours, nginxs]: [number[], number[]] = [[], []];
  for (let i = 0; i < runs; i += 1) {
    ours.push(load(`${url}/`, SECONDS));
    nginxs.push(load(`http://127.0.0.1:${port}/`, SECONDS));
  }
  const ratio = median(ours) / median(nginxs);
  row(
    'GET / per second, one core',
    `${spread(ours)}, nginx ${spread(nginxs)}, ratio ${ratio.toFixed(2)} (wanted: at least 0.5)`,
  );
}

function load(target: string, seconds: number): number {
  const { stdout } = spawnSync(
    'taskset',
    ['-c', '1', 'wrk', '-t1', '-c32', `-d${seconds}s`, '-H', 'Accept-Encoding: gzip', target],
    { encoding: 'utf8' },
  );
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
