import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'hono';
import { proxy } from 'hono/proxy';
import type { SshServer } from '../../settings/checks.ts';
import { Failed } from '../failures.ts';
import { onServer, outputOf, SILENT, whyNot } from './ssh.ts';

/** The server's desk can't be asked. The message says why, and in its second sentence what to do. */
export class Away extends Failed {}

const HOST = '127.0.0.1';
const ONLY_THIS = [...SILENT, '-S', 'none', '-o', 'ExitOnForwardFailure=yes', '-L'];
/** After a laptop's sleep, a connection looks well for as long as nobody asks. */
const FRESH_MS = 10_000;
const PROBE_MS = 4_000;

/** Leads to the desk that runs on the server, for as long as this one does. It's opened anew whenever it's gone. */
export function createTunnel(server: () => SshServer | undefined) {
  let tunnel: ReturnType<typeof open> | undefined;

  function close(which = tunnel) {
    which?.child.kill();
    if (which === tunnel) tunnel = undefined;
  }

  async function alive(tries = 3) {
    const to = server();
    if (!to) throw new Away('Your server is no longer in the settings.');
    if (!isDeepStrictEqual(tunnel?.server, to)) close();
    const mine = tunnel ?? open(to);
    if (mine !== tunnel) mine.child.once('close', () => close(mine));
    tunnel = mine;
    try {
      const opened = { mine, origin: mine.origin, cookie: await mine.cookie };
      if (Date.now() - mine.heardAt > FRESH_MS)
        await fetch(`${mine.origin}/assets/`, { signal: AbortSignal.timeout(PROBE_MS) });
      return opened;
    } catch (error) {
      close(mine);
      if (error instanceof Away || tries === 1) throw error;
      return alive(tries - 1);
    }
  }

  /** @param isHers whether the session is known. Without it, the server's desk gets no cookie either. */
  async function pass(c: Context, isHers: boolean): Promise<Response> {
    const { mine, origin, cookie } = await alive();
    const { pathname, search } = new URL(c.req.url);
    const { method, signal } = c.req.raw;
    const answer = await proxy(origin + pathname + search, {
      ...{ method, signal, redirect: 'manual', body: method === 'POST' ? await c.req.arrayBuffer() : null },
      headers: {
        // Our own guard knows that it's from our own page.
        ...{ origin, 'sec-fetch-site': 'same-origin', 'content-type': c.req.header('content-type') },
        ...(isHers && { cookie }),
      },
    }).catch(() => {
      throw new Away('The connection broke off. Look whether it’s done before you do it again.');
    });
    mine.heardAt = Date.now();
    answer.headers.delete('set-cookie');
    return answer;
  }

  return { connect: () => alive().catch(() => undefined), close, pass };
}

function open(server: SshServer) {
  const here = randomInt(20_000, 60_000);
  const there = here + 1;
  const child = onServer(server, `desk open --json --port ${there} --seen-at ${here}`, {
    options: [...ONLY_THIS, `${HOST}:${here}:${HOST}:${there}`],
  });
  return { server, child, origin: `http://${HOST}:${here}`, cookie: enter(child), heardAt: Date.now() };
}

/** Opens the link that it prints, as a browser does. Returns the cookie that it got. */
async function enter(child: ChildProcess): Promise<string> {
  const link = new Promise<string>((resolve) => {
    child.stdout?.on('data', (text) => {
      const [, found] = /"(http:[^"]+)"/.exec(text) ?? [];
      if (found) resolve(found);
    });
  });
  const ended = outputOf(child).then(
    () => Promise.reject(new Failed('It ended.')),
    ({ message }: Error) => {
      // Else with other ports.
      if (/is taken|forward/.test(message)) throw new Failed(message);
      throw new Away(whyNot(message));
    },
  );
  const { headers } = await fetch(await Promise.race([link, ended]), { redirect: 'manual' });
  ended.catch(() => undefined);
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}
