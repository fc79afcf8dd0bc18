import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

export type StaticHost = {
  /** Where the files are, with a slash at the end. */
  url: string;
  /** Paths that were asked for outside the mount. */
  strays: string[];
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
  '.webmanifest': 'application/manifest+json',
};

/**
 * The simplest host of files there is: it knows nothing but the folder, sets the headers that it is told to
 * set, and answers `404.html` for what is missing, as GitHub Pages does.
 *
 * @param mount the path below which the files are, such as `/clients/operations`; empty: at the root
 * @param headersAt what the host was configured to say, by the file's path in the folder
 */
export async function startStaticHost(
  folder: string,
  mount = '',
  headersAt: (path: string) => Iterable<[string, string]> = () => [],
): Promise<StaticHost> {
  const strays: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    if (!pathname.startsWith(`${mount}/`)) {
      strays.push(pathname);
      response.writeHead(404).end();
      return;
    }
    const asked = pathname.slice(mount.length);
    const path = asked.endsWith('/') ? `${asked}index.html` : asked;
    // The mount keeps nothing in: these are a test's own requests, with no `..` that URL has not resolved.
    const found = existsSync(join(folder, path));
    const file = found ? path : '/404.html';
    const headers = { ...Object.fromEntries(headersAt(asked)), 'content-type': TYPES[extname(file)] ?? '' };
    response.writeHead(found ? 200 : 404, headers).end(readFileSync(join(folder, file)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${mount}/`,
    strays,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
