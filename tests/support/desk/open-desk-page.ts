import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram } from '../../../publish/publish.ts';
import { START_ANEW } from '../../../server/start-anew.ts';
import { freePort } from '../network/free-port.ts';
import { serverEnvironment } from '../service/node-environment.ts';
import { watch } from '../service/watch.ts';
import { copyProject } from '../site/copy-project.ts';

/**
 * A copy of the project with this `.env` and the site's server, restarted when it asks for that, as by
 * `npm start`, with a link to its desk.
 */
export async function openDeskInCopy(dotEnv = '') {
  await ensureProgram();
  const copy = copyProject();
  writeFileSync(join(copy, '.env'), dotEnv);
  const dist = join(copy, 'dist');
  mkdirSync(dist);
  writeFileSync(join(dist, 'index.html'), '<h1>Home</h1>');
  const env = {
    ...serverEnvironment(copy),
    PORT: String(await freePort()),
    SENTENCES: '{"replyHours":24}',
  };
  let child: ChildProcess;
  let isOver = false;
  let said = () => '';
  let starts = 0;

  async function start(): Promise<void> {
    child = spawn(process.execPath, [join(copy, 'server/main.ts'), dist], {
      cwd: copy,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child.once('exit', (code) => {
      if (code === START_ANEW && !isOver) void start();
    });
    const { out, says } = watch(child);
    said = out;
    await says(/The page +http:/);
    starts += 1;
  }

  async function newLink(): Promise<string> {
    const args = [join(copy, 'desk/desk-command.ts'), 'open', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: copy, env });
    return JSON.parse(stdout).link;
  }

  await start();
  const link = await newLink();
  return {
    copy,
    link,
    newLink,
    origin: new URL(link).origin,
    address: new URL('/desk', link).href,
    said: () => said(),
    starts: () => starts,
    /** Until `thaw`, it takes requests and answers none. */
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async close() {
      isOver = true;
      if (child.exitCode === null && child.kill('SIGINT')) await once(child, 'exit');
      rmSync(copy, { recursive: true, force: true });
    },
  };
}

/** Signs in with a link, without a browser. Returns its cookie. */
export async function cookieFor(link: string): Promise<string> {
  const headers = { origin: new URL(link).origin };
  const answer = await fetch(link, { method: 'POST', headers, redirect: 'manual' });
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}
