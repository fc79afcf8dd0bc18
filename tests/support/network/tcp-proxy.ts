import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { portOf } from './free-port.ts';

/** Stands in front of that server: the same address, except for the port. */
export async function startTcpProxy(behind: string) {
  const sockets = new Set<Socket>();
  let silent = false;
  let cutAt: string | undefined;
  let isAway = false;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    if (silent) socket.pause();
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  }

  const server = createServer((client) => {
    if (isAway) return void client.destroy();
    const target = keep(connect(Number(new URL(behind).port), '127.0.0.1'));
    keep(client).once('close', () => target.destroy());
    target.on('connect', () => {
      client.pipe(target);
      target.on('data', (said) => {
        if (!cutAt || !said.includes(cutAt)) return client.write(said);
        cutAt = undefined;
        client.destroy();
        return true;
      });
      if (silent) for (const socket of [client, target]) socket.pause();
    });
    target.on('close', () => client.destroy());
  });
  const url = Object.assign(new URL(behind), { port: await portOf(server) }).href;
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url,
    /** From now on nothing gets through, as if a cable were cut: no end, no error. New connections are accepted. */
    goSilent() {
      silent = true;
      for (const socket of sockets) socket.pause();
    },
    /** Cuts the connection on which this is answered, and holds the answer back. `isLast`: there's no other until it speaks. */
    cutAt(answer: string, isLast = false) {
      cutAt = answer;
      isAway = isLast;
    },
    speak() {
      silent = false;
      isAway = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
