import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { ROOT } from '../../../build/vite.ts';
import { watchProcess } from '../service/server-process.ts';
import { copyProject } from '../site/copy-project.ts';
import { type BareServer, bootBareServer, whyNotHere } from './bare-server.ts';

const ONLINE = 'desk/online/online.ts';

/** What a test finds: a server that's still bare, and a laptop that's set up for it. */
export type Site = { server: BareServer; laptop: ReturnType<typeof newLaptop> };

/** Tests on one server, in their order: each goes on where the one before it ended. */
export function describeOnline(title: string, define: (site: Site) => void): void {
  const why = whyNotHere();
  describe.skipIf(why)(why ? `${title} (${why})` : title, () => {
    const site = {} as Site;
    beforeAll(async () => {
      site.server = await bootBareServer();
      site.laptop = newLaptop(site.server);
    });
    afterAll(async () => {
      site.laptop?.end();
      await site.server?.end();
    });
    define(site);
  });
}

/** Her project's folder on a computer whose ssh knows this server. */
export function newLaptop(server: BareServer) {
  const folder = copyProject(mkdtempSync(join(tmpdir(), 'laptop-')));
  for (const name of ['deploy', 'runtime', '.env.example', '.npmrc', 'CHANGELOG.md'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'mine'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('root.crt', '');
  const env = {
    PATH: server.path,
    HOME: folder,
    TZ: 'America/Toronto',
    NODE_EXTRA_CA_CERTS: `${folder}/root.crt`,
  };

  /** A program of the project's, as npm would run it. */
  function start(program: string, args: string[] = [], answers: string[] = []) {
    // With a list of names of its own, which nobody else on this machine sees.
    const apart = ['--mount', 'sh', '-c', '[ ! -e hosts ] || mount --bind hosts /etc/hosts; exec "$@"', 'sh'];
    const child = spawn('unshare', [...apart, process.execPath, program, ...args], { cwd: folder, env });
    child.stdin.on('error', () => undefined).end(answers.map((answer) => `${answer}\n`).join(''));
    return { child, ...watchProcess(child) };
  }
  /** A program to its end. */
  async function run(...what: Parameters<typeof start>) {
    const begun = performance.now();
    const { exited, out } = start(...what);
    const code = await exited;
    return { code, out: out(), seconds: Math.round((performance.now() - begun) / 100) / 10 };
  }
  return {
    folder,
    end: () => rmSync(folder, { recursive: true, force: true }),
    /** From now on, its ssh knows this one, which its settings name. */
    settings(at: BareServer, more: Record<string, string> = {}): void {
      env.PATH = at.path;
      const all = { CONTACT_EMAIL: 'ada@blueprint-operations.com', SERVER: at.address, ...more };
      write(
        '.env',
        Object.entries(all).reduce((text, [name, value]) => `${text}${name}=${value}\n`, ''),
      );
    },
    words: (headline: string) => write('mine/words.json', JSON.stringify({ hero: { headline } })),
    write,
    start,
    startOnline: () => start(ONLINE, ['--yes']),
    online: (args = ['--yes'], answers: string[] = []) => run(ONLINE, args, answers),
    desk: (...args: string[]) => run('desk/desk-command.ts', args),
  };
}
