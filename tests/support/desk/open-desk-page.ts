import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { COMPILED } from '../service/compiled.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** `npm run desk -- open` at a free port, on the messages of this address, as on a machine without a screen; in a copy of the project if `root` is one. */
export async function openDeskPage(folder: string, env: Record<string, string> = {}, root = ROOT) {
  const child = spawn(process.execPath, [join(root, 'desk/desk-command.ts'), 'open', '--port', '0'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      ...COMPILED,
      DATABASE_URL: `file:${join(folder, 'contact.db')}`,
      MAIL_DIR: join(folder, 'mail'),
      SENTENCES: '{"replyHours":24}',
      // A copy of the project has its own .env.
      ...(root === ROOT && { CONTACT_EMAIL: 'owner@example.com', TIME_ZONE: 'America/Toronto' }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let said = '';
  const link = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
        const found = /http:\S+(?=\n)/.exec(said)?.[0];
        if (found) resolve(found);
      });
    }
    child.once('exit', () => reject(new Error(`The desk ended before it opened:\n${said}`)));
  });
  return {
    link,
    origin: new URL(link).origin,
    address: new URL('/desk', link).href,
    said: () => said,
    ended,
    /** As a power cut does. */
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await ended;
    },
    /** As Ctrl+C does. Returns its exit code. */
    async close(): Promise<number | null> {
      if (child.exitCode === null) {
        child.kill('SIGINT');
        await ended;
      }
      return child.exitCode;
    },
  };
}

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

/** Asks as any program can, with whatever headers it likes. */
export function ask(
  address: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(address, { method, headers, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
    });
    asked.on('error', reject).end(body);
  });
}
