import type { Command } from 'commander';
import { codeOf } from '../messages/store-error.ts';
import { listen } from '../server/listen.ts';
import type { Desk } from './desk.ts';
import { hasDesktop, openOnDesktop } from './desktop.ts';
import { Failed, WrongUsage } from './failures.ts';
import type * as Views from './page/views.tsx';
import { dim, json, write } from './terminal.ts';

type Options = { port?: number; print?: true; json?: true };

/** Fixed, so that a tunnel can name it beforehand. */
const PORT = 8088;
/** Only this machine reaches it. */
const HOST = '127.0.0.1';
const IDLE_HOURS = 2;

export function addOpen(program: Command, desk: Desk): void {
  program
    .command('open')
    .description('open the desk in your browser, as does no command at all')
    .option('--port <number>', `at this port of your machine (${PORT})`, portNumber)
    .option('--print', 'print the link, and open no browser')
    .action(async ({ port = PORT, print, json: asJson }: Options) => {
      // Wrong settings are better told here than on a page.
      desk.settings();
      const { views, createPages } = await loadPage();
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);

      let answer: (request: Request) => Response | Promise<Response> = () =>
        new Response(null, { status: 503 });
      const listening = await listen((request) => answer(request), { host: HOST, port }).catch(
        (error: unknown) => {
          throw codeOf(error) === 'EADDRINUSE' ? portTaken(port) : error;
        },
      );
      const idle = setTimeout(end, IDLE_HOURS * 3_600_000);
      const page = await createPages(desk, {
        origin: `http://${HOST}:${listening.port}`,
        views,
        onRequest: () => void idle.refresh(),
      });
      answer = page.fetch;
      if (asJson) write(json({ link: page.link }));
      else if (!print && hasDesktop() && (await openOnDesktop(page.link)))
        write('The desk is open in your browser.\n');
      else write(howToOpen(page.link, listening.port));
      if (!asJson) write(dim(`Ctrl+C closes it. So do ${IDLE_HOURS} hours without a click.\n`));
      await ended;
      clearTimeout(idle);
      await listening.close();
    });
}

/** What's only for the page. Node reads TypeScript, but not the JSX that the views are written in. */
async function loadPage() {
  try {
    const { runnerImport } = await import('vite');
    const { ROOT } = await import('../build/vite.ts');
    const { createPages } = await import('./page/app.ts');
    const config = { root: ROOT, configFile: false, envDir: false, logLevel: 'warn' } as const;
    const { module } = await runnerImport<typeof Views>('./desk/page/views.tsx', config);
    return { views: module, createPages };
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Failed(
      'What makes pages isn’t installed here, as in a container. The commands work: `npm run desk help`.',
    );
  }
}

function howToOpen(link: string, port: number): string {
  const tunnel = process.env.SSH_CONNECTION
    ? `\nYou’re on another machine over SSH. Log in once more from your own, with this in the command:\n\n  ssh -L ${port}:${HOST}:${port} …\n\nThen open the link there.\n`
    : '';
  return `Open this link in your browser. It works once:\n\n  ${link}\n${tunnel}\n`;
}

function portTaken(port: number): Failed {
  return new Failed(
    `Port ${port} is taken. Is a desk open already? It’s at http://${HOST}:${port}/ in the browser that opened it. ` +
      `For a second one: npm run desk -- open --port ${port + 1}`,
  );
}

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new WrongUsage('A port is a number up to 65535.');
}
