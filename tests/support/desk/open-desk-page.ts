import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { START_ANEW } from '../../../server/command-line.ts';
import { PROJECT_ROOT } from '../../../settings/settings.ts';
import { freePort } from '../network/free-port.ts';
import { COMPILED } from '../service/compiled.ts';
import { copyProject } from '../site/copy-project.ts';

/** The site's server at a free port, started anew when it asks for that, as by `npm start`, and a link to its desk. */
export async function openDeskPage(folder: string, env: Record<string, string> = {}, root = PROJECT_ROOT) {
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, 'index.html'), '<h1>Home</h1>');
  const all = {
    PATH: process.env.PATH ?? '',
    ...COMPILED,
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    DATABASE_URL: `file:${join(folder, 'contact.db')}`,
    MAIL_DIR: join(folder, 'mail'),
    SENTENCES: '{"replyHours":24}',
    // A copy of the project has its own .env.
    ...(root === PROJECT_ROOT && { CONTACT_EMAIL: 'owner@example.com', TIME_ZONE: 'America/Toronto' }),
    ...env,
  };
  let child: ChildProcess;
  let isOver = false;
  let said = '';
  let starts = 0;

  async function start(): Promise<void> {
    child = spawn(process.execPath, [join(root, 'server/main.ts'), dist], {
      cwd: folder,
      env: all,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child.once('exit', (code) => {
      if (code === START_ANEW && !isOver) void start();
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        said += text;
        if (/The page +http:/.test(text)) resolve();
      });
    child.once('exit', () => reject(new Error(`The site ended before it served anything:\n${said}`)));
    await promise;
    starts += 1;
  }

  async function newLink(): Promise<string> {
    const args = [join(root, 'desk/desk-command.ts'), 'open', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env: all });
    return JSON.parse(stdout).link;
  }

  await start();
  const link = await newLink();
  return {
    link,
    newLink,
    origin: new URL(link).origin,
    address: new URL('/desk', link).href,
    said: () => said,
    starts: () => starts,
    /** Until `thaw`, it takes what's asked and answers nothing. */
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async close() {
      isOver = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}

/** The same in a copy of the project, with this `.env`. It goes with the desk. */
export async function openDeskInCopy(env = '') {
  const copy = copyProject();
  writeFileSync(join(copy, '.env'), env);
  const desk = await openDeskPage(copy, {}, copy);
  return {
    ...desk,
    copy,
    async close() {
      await desk.close();
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
