import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { ROOT } from '../../../build/vite.ts';
import { watchProcess } from '../service/server-process.ts';
import { copyProject } from '../site/copy-project.ts';
import { type BareServer, bootBareServer, whyNotHere } from './bare-server.ts';

const ONLINE = 'desk/online/online.ts';

/** What a test finds: a server that's still bare, and a laptop that doesn't know it. */
export type Site = { server: BareServer; laptop: ReturnType<typeof newLaptop> };

/** Tests on one server, in their order: each goes on where the one before it ended. */
export function describeOnline(title: string, define: (site: Site) => void, suites = ['bookworm']): void {
  const why = whyNotHere();
  describe.skipIf(why).for(suites)(why ? `${title} (${why})` : `${title}, on %s`, (suite) => {
    const site = {} as Site;
    beforeAll(async () => {
      site.server = await bootBareServer(suite);
      site.laptop = newLaptop();
    });
    afterAll(async () => {
      site.laptop?.end();
      await site.server?.end();
    });
    define(site);
  });
}

/** Her project's folder on a computer of its own: a home folder, ssh, names that it looks up, authorities. */
export function newLaptop() {
  const folder = copyProject(mkdtempSync(join(tmpdir(), 'laptop-')));
  for (const name of ['deploy', 'runtime', '.env.example', '.npmrc', 'CHANGELOG.md'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['mine', '.ssh', 'bin']) mkdirSync(join(folder, name));
  const write = (name: string, text: string, mode = 0o600) =>
    writeFileSync(join(folder, name), text, { mode });
  write('root.crt', '');
  // ssh itself looks into the real home folder, whatever HOME says.
  const files = `IdentityFile ${folder}/.ssh/id_ed25519\nUserKnownHostsFile ${folder}/.ssh/known_hosts\n`;
  write('.ssh/config', `${files}GlobalKnownHostsFile none\nIdentitiesOnly yes\nIdentityAgent none\n`);
  const ssh = spawnSync('which', ['ssh'], { encoding: 'utf8' }).stdout.trim();
  write('bin/ssh', `#!/bin/sh\nexec ${ssh} -F ${folder}/.ssh/config "$@"\n`, 0o700);
  write('askpass', '#!/bin/sh\ncase $1 in *continue*) echo yes ;; *) cat password ;; esac\n', 0o700);
  const env = {
    ...{ PATH: `${folder}/bin:${process.env.PATH}`, HOME: folder, TZ: 'America/Toronto' },
    ...{ SSH_ASKPASS: './askpass', SSH_ASKPASS_REQUIRE: 'force', NODE_EXTRA_CA_CERTS: `${folder}/root.crt` },
  };

  /** Its ssh has a key for this server and knows it. */
  function knows(server: BareServer): void {
    copyFileSync(server.key, join(folder, '.ssh/id_ed25519'));
    copyFileSync(server.knownHosts, join(folder, '.ssh/known_hosts'));
  }
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
    knows,
    settings(server: BareServer, more: Record<string, string> = {}): void {
      knows(server);
      const all = { CONTACT_EMAIL: 'ada@blueprint-operations.com', SERVER: server.address, ...more };
      write(
        '.env',
        Object.entries(all).reduce((text, [name, value]) => `${text}${name}=${value}\n`, ''),
      );
    },
    write,
    words: (headline: string) => write('mine/words.json', JSON.stringify({ hero: { headline } })),
    start,
    online: (args = ['--yes'], answers: string[] = []) => run(ONLINE, args, answers),
    desk: (...args: string[]) => run('desk/desk-command.ts', args),
  };
}
