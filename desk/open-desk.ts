import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { HOUR } from '../contract/time.ts';
import { withProgress } from '../publish/progress.mjs';
import { type Fetch, listen } from '../server/http/listen.ts';
import { codeOf } from '../server/messages/store-error.ts';
import type { Desk } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { json, write } from './terminal.ts';

/** Fixed, so that a tunnel can name it beforehand. */
const PORT = 8088;
/** Only this machine reaches it. */
const HOST = '127.0.0.1';
const IDLE_HOURS = 2;

export async function open(desk: Desk, args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { port: { type: 'string' }, json: { type: 'boolean' } },
  });
  const port = portNumber(values.port ?? String(PORT));
  // Wrong settings are better told here than on a page.
  desk.settings();
  const { createAccess, createDeskApp } = await loadPages();
  let answer: Fetch = () => new Response();
  const listening = await listen((request, env) => answer(request, env), { host: HOST, port }).catch(
    (error: unknown) => {
      throw codeOf(error) === 'EADDRINUSE' ? portTaken(port) : error;
    },
  );
  const end = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.resolve());
  const idle = setTimeout(end.resolve, IDLE_HOURS * HOUR);
  const access = createAccess(`http://${HOST}:${listening.port}`);
  const app = await createDeskApp(desk, access);
  answer = (request, env) => {
    idle.refresh();
    return app.fetch(request, env);
  };
  const { link } = access;
  if (values.json) write(json({ link }));
  else {
    write(howToOpen(link, listening.port));
    openInBrowser(link);
  }
  await end.promise;
  clearTimeout(idle);
  await listening.close();
}

/** Over SSH or in a container, nobody would see what opens. */
function openInBrowser(link: string): void {
  const { SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string];
  if (SSH_CONNECTION || !(opener || DISPLAY || WAYLAND_DISPLAY)) return;
  spawn(opener ?? 'xdg-open', [link], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

/** What's only for the page. */
async function loadPages() {
  const { ensureProgram } = await import('../publish/publish.ts');
  const { createDeskApp } = await import('./app.ts');
  const { createAccess } = await import('./door/access.ts');
  await withProgress('Building', '', ensureProgram);
  return { createAccess, createDeskApp };
}

function howToOpen(link: string, port: number): string {
  const tunnel = `You’re here over SSH, so log in once more from your own computer, with a tunnel in the command:

  ssh -L ${port}:${HOST}:${port} …

`;
  return `Open this link in your browser. It works once:\n\n  ${link}\n\n${process.env.SSH_CONNECTION ? tunnel : ''}Ctrl+C closes it. So do ${IDLE_HOURS} hours without a click.\n`;
}

function portTaken(port: number): Failed {
  return new Failed(
    `Port ${port} is taken. Is a desk open already? It’s at http://${HOST}:${port}/ in the browser that opened it. For a second one: npm run desk -- open --port ${port + 1}`,
  );
}

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new WrongUsage('A port is a number up to 65535.');
}
