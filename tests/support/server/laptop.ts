import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../build/vite.ts';
import { watchProcess } from '../service/server-process.ts';
import { copyProject } from '../site/copy-project.ts';
import type { BareServer } from './bare-server.ts';

export type Laptop = ReturnType<typeof newLaptop>;

type Surroundings = {
  /** The addresses of names, as if DNS had them. */
  names?: Record<string, string>;
  /** The certificate of an authority. */
  trusts?: string;
};

/** Her project's folder on a computer whose ssh knows this server. */
export function newLaptop(known: BareServer, { names = {}, trusts = '' }: Surroundings = {}) {
  let server = known;
  const folder = copyProject(mkdtempSync(join(tmpdir(), 'laptop-')));
  for (const name of ['deploy', 'runtime', '.env.example', '.npmrc', 'CHANGELOG.md'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'mine'));
  writeFileSync(join(folder, 'root.crt'), trusts);
  const hosts = Object.entries({ localhost: '127.0.0.1', ...names }).map(([name, at]) => `${at} ${name}\n`);
  writeFileSync(join(folder, 'hosts'), hosts.join(''));

  /** A program of the project's, as npm would run it. */
  function start(program: string, args: string[] = [], answers: string[] = []) {
    // With a list of names of its own, which nobody else on this machine sees.
    const apart = ['--mount', 'sh', '-c', 'mount --bind hosts /etc/hosts && exec "$@"', 'sh'];
    const child = spawn('unshare', [...apart, process.execPath, program, ...args], {
      cwd: folder,
      env: {
        PATH: server.path,
        HOME: folder,
        TZ: 'America/Toronto',
        NODE_EXTRA_CA_CERTS: join(folder, 'root.crt'),
      },
    });
    child.stdin.on('error', () => undefined).end(answers.map((answer) => `${answer}\n`).join(''));
    return { child, ...watchProcess(child) };
  }
  return {
    folder,
    end: () => rmSync(folder, { recursive: true, force: true }),
    start,
    /** Its ssh knows another server from now on. */
    moveTo(next: BareServer): void {
      server = next;
    },
    settings: (values: Record<string, string>) =>
      writeFileSync(
        join(folder, '.env'),
        Object.entries(values)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      ),
    words: (words: unknown) => writeFileSync(join(folder, 'mine/words.json'), JSON.stringify(words)),
    /** Where its browser ends up, and with which status. */
    async look(address: string): Promise<unknown> {
      const file = join(folder, 'look.mjs');
      writeFileSync(
        file,
        `const { status, url } = await fetch('${address}'); console.log(JSON.stringify({ status, url }));`,
      );
      const run = start(file);
      await run.exited;
      return JSON.parse(run.out());
    },
    /** `npm run online` to its end. */
    async online(args: string[] = ['--yes'], answers: string[] = []) {
      const begun = performance.now();
      const run = start('desk/online/online.ts', args, answers);
      const code = await run.exited;
      return { code, out: run.out(), seconds: (performance.now() - begun) / 1000 };
    },
  };
}
