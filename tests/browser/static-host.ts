import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

export type StaticHost = {
  /** Where the files are, with a trailing slash. */
  url: string;
  close(): Promise<void>;
};

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/**
 * The simplest static host there is: it knows only the folder, sets the headers it's told to set, and answers
 * `404.html` for what's missing, as GitHub Pages does.
 *
 * @param headersAt the headers the host was configured to send, by the file's path in the folder
 */
export async function startStaticHost(
  folder: string,
  headersAt: (path: string) => Iterable<[string, string]> = () => [],
): Promise<StaticHost> {
  const server = createServer((request, response) => {
    const { pathname: asked } = new URL(request.url ?? '/', 'http://host');
    const path = asked.endsWith('/') ? `${asked}index.html` : asked;
    // Not a security boundary: these are the test's own requests, and URL has resolved any `..`.
    const found = existsSync(join(folder, path));
    const file = found ? path : '/404.html';
    const headers = { ...Object.fromEntries(headersAt(asked)), 'content-type': TYPES[extname(file)] ?? '' };
    response.writeHead(found ? 200 : 404, headers).end(readFileSync(join(folder, file)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
