import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../build/vite.ts';
import { watchProcess } from '../service/server-process.ts';
import { copyProject } from '../site/copy-project.ts';
import type { BareServer } from './bare-server.ts';

export type Laptop = ReturnType<typeof newLaptop>;

/** Her project's folder on a computer whose ssh knows this server. */
export function newLaptop(server: BareServer) {
  const folder = copyProject(mkdtempSync(join(tmpdir(), 'laptop-')));
  for (const name of ['deploy', 'runtime', '.env.example', '.npmrc', 'CHANGELOG.md'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'mine'));

  /** A program of the project's, as npm would run it. */
  function start(program: string, args: string[] = [], answers: string[] = []) {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env: { PATH: server.path, HOME: folder, TZ: 'America/Toronto' },
    });
    child.stdin.on('error', () => undefined).end(answers.map((answer) => `${answer}\n`).join(''));
    return { child, ...watchProcess(child) };
  }
  return {
    folder,
    end: () => rmSync(folder, { recursive: true, force: true }),
    start,
    settings: (values: Record<string, string>) =>
      writeFileSync(
        join(folder, '.env'),
        Object.entries(values)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      ),
    words: (words: unknown) => writeFileSync(join(folder, 'mine/words.json'), JSON.stringify(words)),
    /** `npm run online` to its end. */
    async online(args: string[] = ['--yes'], answers: string[] = []) {
      const begun = performance.now();
      const run = start('desk/online/online.ts', args, answers);
      const code = await run.exited;
      return { code, out: run.out(), seconds: (performance.now() - begun) / 1000 };
    },
  };
}
