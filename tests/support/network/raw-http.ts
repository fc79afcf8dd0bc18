import { connect } from 'node:net';

/** Writes these bytes on a new connection, ends it if asked, and returns everything that came back. */
export function exchange(port: number, bytes: string | Buffer, { end = true } = {}): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => {
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    // The server may hang up on us, which is an answer too.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
