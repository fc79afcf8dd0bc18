import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, type ListenOptions, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { MINUTE } from '../../contract/time.ts';
import { codeOf } from '../messages/store-error.ts';
import type { Pages, Served } from './static-files.ts';

export type Fetch = (request: Request, env?: object) => Response | Promise<Response>;

/** Called for each file being sent. It must be fast, since every page waits for it. */
export type OnServed = (request: IncomingMessage, response: ServerResponse, served: Served) => void;

export type Listening = {
  port: number;
  /** Takes no more connections and waits for requests in progress, but not for senders that hang. */
  close(): Promise<void>;
};

/** Something the person starting the server can fix; shown without a stack trace. */
export class StartError extends Error {}

const SERVER_OPTIONS = {
  // Checks for slow senders every second, since the default 30 s would double the limits.
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  // Longer than the 60 s of common proxies, which would otherwise reuse a connection we're closing.
  keepAliveTimeout: 65_000,
};

/** Per connection. Browsers don't pipeline requests; clients that do send only a few ahead. */
const MOST_IN_FLIGHT = 32;

/** A connection is dropped if a response makes no progress for this long. A slow reader still makes some. */
const STALLED_MS = MINUTE;

/** The first socket that systemd hands over (sd_listen_fds). It stays open from one server to the next. */
const SYSTEMD_FD = 3;

/** With the rest of a shutdown, this stays under the 10 s after which a process is usually killed. */
const CLOSE_MS = 7_000;

/**
 * `localhost` means 127.0.0.1 and ::1 on one port: browsers use whichever answers first, so someone else's program on
 * the other one would get the visitor's message. A socket from systemd takes the place of both settings.
 */
export async function listen(
  fetch: Fetch,
  { host, port }: { host: string; port: number },
  pages?: Pages,
  onServed: OnServed = () => {},
): Promise<Listening> {
  const answerOthers = getRequestListener(fetch, {
    // For requests without a Host, which a health check over HTTP/1.0 may send.
    hostname: 'localhost',
    // Keeps Node's own global Request and Response for everything else in this process.
    overrideGlobalObjects: false,
    // It would hang up on senders whose refused body takes over half a second.
    autoCleanupIncoming: false,
  });
  // A file needs no Request, Response or routing, which would be most of the work of sending one.
  const inFlight = new WeakMap<Socket, number>();
  const answer: RequestListener = (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (inFlight.get(socket) ?? 0) + 1;
    if (count > MOST_IN_FLIGHT) {
      socket.destroy();
      return;
    }
    inFlight.set(socket, count);
    response.once('close', () => inFlight.set(socket, (inFlight.get(socket) ?? 1) - 1));
    // Node calls this to close a connection once the response is out.
    if (hasBody(request)) socket.destroySoon = () => closeAfterBody(request);
    const served = pages?.serve(request, response);
    if (served) onServed(request, response, served);
    else void answerOthers(request, response);
  };
  // To this process, or to `npm start`, which began it.
  const handedTo = Number(process.env.LISTEN_PID);
  const isHandedOver = process.env.LISTEN_FDS === '1' && [process.pid, process.ppid].includes(handedTo);
  if (isHandedOver) return together([await listenOn(answer, { fd: SYSTEMD_FD })]);
  if (host !== 'localhost') return together([await listenOn(answer, { host, port })]);
  for (let attempt = 1; ; attempt += 1) {
    const ipv4 = await listenOn(answer, { host: '127.0.0.1', port });
    try {
      return together([ipv4, await listenOn(answer, { host: '::1', port: portOf(ipv4), ipv6Only: true })]);
    } catch (error) {
      const code = codeOf(error);
      // The machine has no IPv6.
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return together([ipv4]);
      await closeServer(ipv4);
      // A port the system picked on IPv4 may be taken on IPv6, so let it pick another.
      if (port !== 0 || attempt === 10) throw error;
    }
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/**
 * A sender refused mid-body must be able to read why. Closing a connection before the whole body has arrived resets it,
 * and what the sender hasn't read is lost. `requestTimeout` limits the wait.
 */
function closeAfterBody(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete) {
    Socket.prototype.destroySoon.call(socket);
    return;
  }
  socket.end();
  request.once('end', () => socket.destroy());
}

/** What to tell the person starting the server about an error of `listen`. */
export function cannotListen(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    return new StartError(
      `Port ${port} is in use, maybe by this site in another terminal. Stop that (Ctrl+C), or put another port into .env: PORT=${port + 1}`,
    );
  }
  if (code === 'EACCES')
    return new StartError(`This user may not listen on port ${port}. Choose one above 1023 with PORT.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(
      `HOST=${host} isn’t an address of this machine. Leave HOST unset, or use 0.0.0.0 for every address.`,
    );
  }
  return error;
}

/** The address for a browser on this machine. */
export function localAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  return `http://${everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

function listenOn(answer: RequestListener, where: ListenOptions & { fd?: number }): Promise<Server> {
  const server = createServer(SERVER_OPTIONS, answer).setTimeout(STALLED_MS);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

function together(servers: Server[]): Listening {
  return {
    port: servers[0] ? portOf(servers[0]) : 0,
    close: async () => {
      await Promise.all(servers.map(closeServer));
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const tooLong = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    server.close(() => {
      clearTimeout(tooLong);
      resolve();
    });
    server.closeIdleConnections();
  });
}
