import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { MINUTE } from '../../contract/time.ts';
import { codeOf } from '../messages/store-error.ts';
import type { Pages } from './static.ts';

export type Fetch = (request: Request, env?: object) => Response | Promise<Response>;

/** Something the person starting the server can fix; shown without a stack trace. */
export class StartError extends Error {}

/** Whoever sends nothing, half a head or half a body is cut off after this many milliseconds, plus a second. */
export const PATIENCE = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // The default 30 s would double the limits.
  connectionsCheckingInterval: 1_000,
};
/** Between two requests. Longer than the 60 s of common proxies, which would otherwise reuse what we're closing. */
const REST_MS = 65_000;

/** Per connection. Browsers don't pipeline requests; clients that do send only a few ahead. */
const MOST_IN_FLIGHT = 8;

// Node parses all that a destroyed connection has sent, up to 2,000 requests, unless it loses its parser. That isn't public:
// without it, floods only take more memory.
type Parsed = Socket & { parser?: { remove(): void }; inFlight?: number };

/** For the owner, whose uploads may take as long as they take. For one answer: a proxy's next may be a stranger's. */
export type Unhurried = Socket & { isUnhurried?: boolean };

/** A connection is dropped if a response makes no progress for this long. A slow reader still makes some. */
const STALLED_MS = MINUTE;

/** The first socket that systemd (sd_listen_fds) or `npm start` hands over. They stay open from one server to the next. */
const FIRST_FD = 3;

/** With the rest of a shutdown, this stays under the 10 s after which a process is usually killed. */
const CLOSE_MS = 6_000;
/** For whoever has just had an answer, to connect again. */
const RETURN_MS = 300;

type Address = { host: string; port: number };

/** Sockets that are handed over take the place of the address. */
export async function listen(fetch: Fetch, { host, port }: Address, pages?: Pages, patience = PATIENCE) {
  const answerOthers = getRequestListener(fetch, {
    // For requests without a Host, which a health check over HTTP/1.0 may send.
    hostname: 'localhost',
    // Keeps Node's own global Request and Response for everything else in this process.
    overrideGlobalObjects: false,
    // It would hang up on senders whose refused body takes over half a second.
    autoCleanupIncoming: false,
  });
  const inHand = new Set<ServerResponse>();
  let isClosing = false;
  let mayAnswer: Promise<void> | undefined;

  // A file needs no Request, Response or routing, which would be most of the work of sending one.
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const socket: Parsed & Unhurried = request.socket;
    const inFlight = socket.inFlight ?? 0;
    if (inFlight === MOST_IN_FLIGHT) {
      socket.parser?.remove();
      socket.destroy();
      return;
    }
    socket.inFlight = inFlight + 1;
    inHand.add(response);
    response.once('close', () => {
      socket.inFlight = (socket.inFlight ?? 1) - 1;
      socket.isUnhurried = false;
      inHand.delete(response);
    });
    if (isClosing) response.shouldKeepAlive = false;
    if (mayAnswer) await mayAnswer;
    const { method = '', url = '', headers } = request;
    const page = pages?.answer(method, url, (name) => headers[name]?.toString());
    if (!page || page.status >= 400) return void (await answerOthers(request, response));
    // HTTP/1.1 keeps connections open anyway, and these two headers would cost the page 48 bytes.
    if (request.httpVersion === '1.1' && response.shouldKeepAlive) response.removeHeader('connection');
    response.writeHead(page.status, page.headers).end(page.body);
  }

  /** As Node itself does it, except for those allowed to take their time. */
  function onClientError(error: Error, socket: Unhurried): void {
    const isLate = codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (isLate && socket.isUnhurried) return;
    const isAnswered = [...inHand].some((response) => response.socket === socket && response.headersSent);
    const status = isLate ? '408 Request Timeout' : '400 Bad Request';
    if (socket.writable && !isAnswered) socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    socket.destroy(error);
  }

  async function open(where: ListenOptions & { fd?: number }): Promise<Server> {
    const server = createServer({ ...patience, keepAliveTimeout: REST_MS }, answer);
    server.setTimeout(STALLED_MS).on('clientError', onClientError);
    await once(server.listen(where), 'listening');
    return server;
  }

  // To this process, or to `npm start`, which started it.
  const { LISTEN_PID, LISTEN_FDS } = process.env;
  const isHandedOver = [process.pid, process.ppid].includes(Number(LISTEN_PID));
  const handed = Array.from({ length: isHandedOver ? Number(LISTEN_FDS) : 0 }, (_, at) => FIRST_FD + at);
  const servers =
    handed.length > 0
      ? await Promise.all(handed.map((fd) => open({ fd })))
      : host === 'localhost'
        ? await openBoth(open, port)
        : [await open({ host, port })];
  return {
    port: portOf(servers[0] as Server),
    /** From now on each answer ends its connection. After `drainMs` no more are taken, and those in progress finish. */
    async close(drainMs = 0): Promise<void> {
      isClosing = true;
      for (const response of inHand) response.shouldKeepAlive = false;
      await wait(drainMs);
      // Whoever gets an answer may connect again at once and be cut off. So the last ones wait until nobody can connect.
      const end = Promise.withResolvers<void>();
      mayAnswer = end.promise;
      if (drainMs > 0) await wait(RETURN_MS);
      const closed = servers.map(closeServer);
      end.resolve();
      await Promise.all(closed);
    },
  };
}

/** Browsers may use either for `localhost`: on the other, someone else's program would get the visitor's message. */
async function openBoth(open: (where: ListenOptions) => Promise<Server>, port: number): Promise<Server[]> {
  const ipv4 = await open({ host: '127.0.0.1', port });
  try {
    return [ipv4, await open({ host: '::1', port: portOf(ipv4), ipv6Only: true })];
  } catch (error) {
    // The machine has no IPv6, or it wasn't asked for this port.
    if (codeOf(error) !== 'EADDRINUSE' || port === 0) return [ipv4];
    await closeServer(ipv4);
    throw error;
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function closeServer(server: Server): Promise<void> {
  setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref();
  return new Promise((resolve) => void server.close(() => resolve()));
}

export function cannotListen(error: unknown, { host, port }: Address): StartError {
  const code = codeOf(error);
  return new StartError(
    code === 'EADDRINUSE'
      ? `Port ${port} is in use, maybe by this site in another terminal. Stop that (Ctrl+C), or put another port into .env: PORT=${port + 1}`
      : `HOST=${host} with PORT=${port} can’t be used (${code}). Leave both unset, or use HOST=0.0.0.0 for every address, and a port above 1023.`,
  );
}

/** The address for a browser on this machine. */
export function localAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  return `http://${everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}
