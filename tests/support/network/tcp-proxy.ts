import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { portOf } from './free-port.ts';

/** A plain TCP load balancer: each connection goes to the next port, or to the one after it if nobody listens there. */
export async function startTcpProxy(ports: number[]) {
  const sockets = new Set<Socket>();
  let silent = false;
  let turn = 0;

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
    pass(client, ports.length);
  });
  const port = await portOf(server);
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port,
    /** From now on nothing gets through, as if a cable were cut: no end, no error. New connections are accepted. */
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
