import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../tests/free-port.ts';
import { residentMemory } from '../tests/raw-http.ts';
import { type Server, start } from './servers.ts';
import { median, row, spread } from './table.ts';

const SECONDS = 3;
const LEAST_REQUESTS = 100_000;

/** `GET /` on one core, alternating with nginx sending the same compressed file from the same core. */
export async function throughput(
  { url, process: server }: Server,
  site: string,
  folder: string,
  runs: number,
): Promise<void> {
  for (const tool of ['wrk', 'nginx', 'taskset']) {
    if (spawnSync('which', [tool]).status !== 0) throw new Error(`${tool} is not installed`);
  }
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
  const before = residentMemory(server.pid) ?? 0;
  const [ours, nginxs]: [number[], number[]] = [[], []];
  let total = 0;
  for (let i = 0; i < runs || total < LEAST_REQUESTS; i += 1) {
    const one = load(`${url}/`, SECONDS);
    total += one.total;
    ours.push(one.rate);
    nginxs.push(load(`http://127.0.0.1:${port}/`, SECONDS).rate);
  }
  const ratio = median(ours) / median(nginxs);
  row(
    'GET / per second, one core',
    `${spread(ours)}, nginx ${spread(nginxs)}, ratio ${ratio.toFixed(2)} (wanted: at least 0.5)`,
    { ours, nginxs },
  );
  const after = residentMemory(server.pid) ?? 0;
  row('memory of the server', `${before.toFixed(1)} MB, after ${total} requests ${after.toFixed(1)} MB`);
}

function load(target: string, seconds: number): { rate: number; total: number } {
  const { stdout } = spawnSync(
    'taskset',
    ['-c', '1', 'wrk', '-t1', '-c32', `-d${seconds}s`, '-H', 'Accept-Encoding: gzip', target],
    { encoding: 'utf8' },
  );
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    total: Number(/(\d+) requests in/.exec(stdout)?.[1]),
  };
}
