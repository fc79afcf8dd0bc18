import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { portOf } from './free-port.ts';

export async function startWebhookServer() {
  const posted: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const answer = { status: 204 };
  const server = createServer(async (request, response) => {
    posted.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    const status = request.url === '/moved' ? 200 : answer.status;
    response.writeHead(status, { location: '/moved' }).end('thank you');
  });
  const url = `http://127.0.0.1:${await portOf(server)}/hush?secret=hush`;
  const goDown = () =>
    new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  onTestFinished(() => void goDown());
  return { posted, answer, url, goDown };
}
