import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

export type DeskRun = { code: number | null; out: string; err: string };

/** `npm run desk -- …` as its owner runs it, without a terminal, on the files in `folder`. */
export async function runDesk(
  folder: string,
  args: string[],
  { env = {}, input }: { env?: Record<string, string>; input?: string } = {},
): Promise<DeskRun> {
  const child = spawn(process.execPath, ['desk/main.ts', ...args], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: `file:${join(folder, 'contact.db')}`,
      MAIL_DIR: join(folder, 'mail'),
      TZ: 'America/Toronto',
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(input);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  const code = await new Promise<number | null>((resolve) => void child.on('close', resolve));
  return { code, out, err };
}
