import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type TcpProxy = {
  port: number;
  /** From now on nothing passes, as through a cable that was cut: no end, no error. New connections are taken. */
  goSilent(): void;
  /** Everything passes again, what waited as well. */
  speak(): void;
};

/**
 * A plain TCP balancer on a free loopback port: each connection goes to the next of the ports, or to the one
 * after it when nobody listens there. Beyond `most` at a time, a connection hears the refusal and ends.
 */
export async function startTcpProxy(
  ports: number[],
  { most = Infinity, refusal = '' }: { most?: number; refusal?: string | Buffer } = {},
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let silent = false;
  let turn = 0;
  let open = 0;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    if (silent) socket.pause();
    return socket.on('close', () => sockets.delete(socket));
  }

  function pass(client: Socket, tries: number): void {
    turn += 1;
    const target = keep(connect(ports[turn % ports.length] ?? 0, '127.0.0.1'));
    let connected = false;
    target.on('connect', () => {
      connected = true;
      client.pipe(target).pipe(client);
      if (silent) for (const socket of [client, target]) socket.pause();
    });
    target.on('error', () => undefined);
    target.on('close', () => {
      if (connected || tries <= 1) client.destroy();
      else pass(client, tries - 1);
    });
    client.once('close', () => target.destroy());
  }

  const server = createServer((client) => {
    keep(client).on('error', () => undefined);
    if (open >= most) {
      client.once('data', () => client.end(refusal));
      return;
    }
    open += 1;
    client.once('close', () => {
      open -= 1;
    });
    pass(client, ports.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    goSilent() {
      silent = true;
      for (const socket of sockets) socket.pause();
    },
    speak() {
      silent = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
