import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { portOf } from './free-port.ts';

/** A way to this port, until the test ends. */
export async function startTcpProxy(to: number) {
  const sockets = new Set<Socket>();
  let silent = false;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    if (silent) socket.pause();
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  }

  const server = createServer((client) => {
    const target = keep(connect(to, '127.0.0.1'));
    keep(client).once('close', () => target.destroy());
    target.on('connect', () => {
      client.pipe(target).pipe(client);
      if (silent) for (const socket of [client, target]) socket.pause();
    });
    target.on('close', () => client.destroy());
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
