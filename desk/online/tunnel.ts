import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Context } from 'hono';
import { proxy } from 'hono/proxy';
import type { SshServer } from '../../settings/checks.ts';
import { Failed } from '../failures.ts';
import { onServer, outputOf, SILENT, whyNot } from './ssh.ts';

/** The server's desk can't be asked. The message says why, and what to do. */
export class Away extends Failed {}

type Opened = { child: ChildProcess; origin: string; cookie: string; heardAt: number };

const HOST = '127.0.0.1';
/** After a laptop's sleep, a connection looks well for as long as nobody asks. */
const FRESH_MS = 10_000;
const PROBE_MS = 4_000;
const TRIES = 3;

export type Tunnel = ReturnType<typeof createTunnel>;

/** Leads to the desk that runs on the server, for as long as this one does. It's opened anew whenever it has gone. */
export function createTunnel(server: () => SshServer | undefined) {
  let child: ChildProcess | undefined;
  let opened: Promise<Opened> | undefined;

  function connect(): Promise<Opened> {
    if (opened) return opened;
    const mine = open(server(), (started) => {
      child = started;
      started.once('close', () => forget(mine));
    });
    mine.catch(() => forget(mine));
    opened = mine;
    return mine;
  }
  function forget(gone: Promise<Opened> | undefined) {
    if (opened !== gone) return;
    opened = undefined;
    child?.kill();
  }

  async function alive(): Promise<Opened> {
    const promised = connect();
    const now = await promised;
    if (Date.now() - now.heardAt < FRESH_MS) return now;
    const probe = fetch(`${now.origin}/assets/`, { signal: AbortSignal.timeout(PROBE_MS) });
    if (await probe.then(Boolean, () => false)) return now;
    forget(promised);
    return connect();
  }

  return {
    connect,
    close: () => forget(opened),

    /** @param isHers whether the session is known. Without it, the server's desk gets no cookie either. */
    async pass(c: Context, isHers: boolean): Promise<Response> {
      const now = await alive();
      const { pathname, search } = new URL(c.req.url);
      // Our own guard knows that it's from our own page.
      const headers = {
        origin: now.origin,
        'sec-fetch-site': 'same-origin',
        ...(isHers && { cookie: now.cookie }),
        'content-type': c.req.header('content-type'),
      };
      const body = c.req.method === 'POST' ? await c.req.arrayBuffer() : null;
      const { method, signal } = c.req.raw;
      const answer = await proxy(now.origin + pathname + search, {
        ...{ method, headers, body, signal, redirect: 'manual' },
      }).catch(() => {
        throw new Away('The connection broke off. Look whether it’s done before you do it again.');
      });
      now.heardAt = Date.now();
      answer.headers.delete('set-cookie');
      return answer;
    },
  };
}

async function open(server: SshServer | undefined, started: (child: ChildProcess) => void): Promise<Opened> {
  if (!server) throw new Away('No server is set any more.');
  for (let tries = TRIES; ; tries -= 1) {
    const [here, there] = await Promise.all([freePort(), freePort()]);
    const forward = [
      '-S',
      'none',
      '-o',
      'ExitOnForwardFailure=yes',
      '-L',
      `${HOST}:${here}:${HOST}:${there}`,
    ];
    const child = onServer(server, `desk open --json --port ${there} --seen-at ${here}`, {
      options: [...SILENT, ...forward],
    });
    started(child);
    try {
      return await enter(child, `http://${HOST}:${here}`);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      child.kill();
      if (tries > 1 && /is taken|forward/.test(said)) continue;
      throw new Away(whyNot(said) ?? `It says: ${said.split('\n').at(-1)}`);
    }
  }
}

/** With the link that it prints, as a browser does. */
async function enter(child: ChildProcess, origin: string): Promise<Opened> {
  const link = new Promise<string>((resolve) => {
    let out = '';
    child.stdout?.on('data', (text) => {
      out += text;
      const [, found] = /"link": "(http:[^"]+)"/.exec(out) ?? [];
      if (found) resolve(found);
    });
  });
  const ended = outputOf(child).then((out) => {
    throw new Failed(out);
  });
  const { headers } = await fetch(await Promise.race([link, ended]), { redirect: 'manual' });
  ended.catch(() => undefined);
  return { child, origin, cookie: headers.get('set-cookie')?.split(';')[0] ?? '', heardAt: Date.now() };
}

/** Free on this computer; on the server, that's likely. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, HOST);
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}
