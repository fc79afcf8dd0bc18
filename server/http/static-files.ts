import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, relative, sep } from 'node:path';
import { parseAccept } from 'hono/utils/accept';
import { getMimeType } from 'hono/utils/mime';
import { NOT_SENT_PAGE } from '../../contract/contact-message.ts';
import { SENTENCES_FILE, type Sentences } from '../../contract/refusal-sentences.ts';
import { type HeaderRule, headersFor, parseHeadersFile } from './headers-file.ts';
import { type Fault, fillNotSentPage, plainNotSentPage, type Typed } from './not-sent-page.ts';
import { readSentences } from './refusal-answers.ts';

/** What the function's server shows besides the function: the built site. */
export type Pages = {
  /** Serves an existing file straight through Node; undefined leaves the request to `respond`. */
  serve(request: IncomingMessage, response: ServerResponse): Served | undefined;
  respond(request: Request): Response;
  /** The page that gives back what was typed, and its headers. */
  notSent(typed: Typed | undefined, fault: Fault): { html: string; headers: Headers };
  /** What the function says to visitors, in the page's language. Always this object, whose texts follow the page. */
  sentences: Sentences;
  /** Serves what's in the folder now. */
  reload(): void;
};

/** How a request was answered. The path is one of ours without its query, so it identifies no one. */
export type Served = { path: string; status: number; bytes: number };

/** In order of preference among encodings a browser likes equally. */
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

/** One file in one encoding, with all its headers. */
type Body = { bytes: Uint8Array<ArrayBuffer>; etag: string; headers: Record<string, string> };
type File = { plain: Body; encoded: Map<string, Body> };
type Answer = { status: number; headers: Record<string, string>; body: Uint8Array<ArrayBuffer> | string };

/**
 * Reads the whole folder at once. Requests are looked up in memory and never on disk, so no path, however it's spelled,
 * reaches a file outside it.
 */
export function loadStaticFiles(folder: string): Pages {
  let now = readFolder(folder);
  const sentences = { ...now.sentences };
  return {
    sentences,
    reload() {
      now = readFolder(folder);
      Object.assign(sentences, now.sentences);
    },
    serve: (...asked) => now.serve(...asked),
    respond: (...asked) => now.respond(...asked),
    notSent: (...asked) => now.notSent(...asked),
  };
}

function readFolder(folder: string): Omit<Pages, 'reload'> {
  const onDisk = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
    onDisk.set(`/${path}`, new Uint8Array(readFileSync(join(folder, path))));
  }
  const rules = parseHeadersFile(textOf(onDisk, '/_headers') ?? '');
  const sentences = readSentences(textOf(onDisk, `/${SENTENCES_FILE}`));
  const notSentPage = textOf(onDisk, `/${NOT_SENT_PAGE}`) ?? plainNotSentPage('/', sentences);

  const files = new Map<string, File>();
  for (const [path, bytes] of onDisk) {
    if (isPublic(path)) files.set(path, toFile(path, bytes, onDisk, rules));
  }
  for (const [path, file] of [...files]) {
    const [, folder] = /^(.*)\/index\.html$/.exec(path) ?? [];
    if (folder !== undefined) for (const at of [`${folder}/`, folder || '/']) files.set(at, file);
  }

  function answer(
    method: string,
    pathname: string,
    found: File | undefined,
    header: (name: string) => string | undefined,
  ): Answer {
    if (method !== 'GET' && method !== 'HEAD') return refusal(405, headersFor(rules, pathname));
    const file = found ?? files.get('/404.html');
    if (!file) return refusal(404, headersFor(rules, pathname));
    const { bytes, etag, headers } = chooseBody(file, header('accept-encoding') ?? '');
    // A missing file must be looked up again, even where existing ones are cached forever.
    if (!found) return { status: 404, headers: { ...headers, 'cache-control': 'no-cache' }, body: bytes };
    if (matches(header('if-none-match'), etag)) {
      const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...rest } = headers;
      return { status: 304, headers: rest, body: '' };
    }
    return { status: 200, headers, body: bytes };
  }

  return {
    sentences,
    serve(request, response) {
      const { method = '', url = '' } = request;
      const query = url.indexOf('?');
      const asked = query < 0 ? url : url.slice(0, query);
      const pathname = files.has(asked) ? asked : plainPath(url);
      const file = files.get(pathname);
      if (!file || (method !== 'GET' && method !== 'HEAD')) return undefined;
      const { status, headers, body } = answer(method, pathname, file, (name) => {
        const value = request.headers[name];
        return typeof value === 'string' ? value : undefined;
      });
      const sent = method === 'HEAD' ? '' : body;
      // HTTP/1.1 keeps connections open anyway, and these two headers would cost the page 48 bytes.
      if (request.httpVersion === '1.1') response.removeHeader('connection');
      response.writeHead(status, headers).end(sent);
      return { path: pathname, status, bytes: sent.length };
    },
    respond({ method, url, headers: asked }) {
      const { pathname } = new URL(url);
      const file = files.get(pathname) ?? files.get(decodePath(pathname));
      const { status, headers, body } = answer(
        method,
        pathname,
        file,
        (name) => asked.get(name) ?? undefined,
      );
      return new Response(method === 'HEAD' || status === 304 ? null : body, { status, headers });
    },
    notSent: (typed, fault) => ({
      html: fillNotSentPage(notSentPage, typed, fault),
      headers: headersFor(rules, `/${NOT_SENT_PAGE}`),
    }),
  };
}

function textOf(onDisk: Map<string, Uint8Array>, path: string): string | undefined {
  const bytes = onDisk.get(path);
  return bytes && Buffer.from(bytes).toString('utf8');
}

/** Not public: `_headers`, hidden files, compressed copies, and the page that needs filling in. */
function isPublic(path: string): boolean {
  if (path === `/${NOT_SENT_PAGE}` || ENCODINGS.some(({ extension }) => path.endsWith(extension)))
    return false;
  return path.split('/').every((part) => part === '.well-known' || !/^[._]/.test(part));
}

function toFile(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  onDisk: Map<string, Uint8Array<ArrayBuffer>>,
  rules: readonly HeaderRule[],
): File {
  const packed = ENCODINGS.flatMap(({ name, extension }) => {
    const smaller = onDisk.get(path + extension);
    return smaller ? [[name, smaller] as const] : [];
  });
  const common = headersFor(rules, path === '/index.html' ? '/' : path);
  const setDefault = (name: string, value: string) => common.has(name) || common.set(name, value);
  setDefault('content-type', getMimeType(path) ?? 'application/octet-stream');
  setDefault('x-content-type-options', 'nosniff');
  setDefault('cache-control', 'public, max-age=0, must-revalidate');
  if (packed.length > 0) common.append('vary', 'Accept-Encoding');
  return {
    plain: toBody(bytes, common),
    encoded: new Map(packed.map(([name, smaller]) => [name, toBody(smaller, common, name)])),
  };
}

function toBody(bytes: Uint8Array<ArrayBuffer>, common: Headers, encoding?: string): Body {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`;
  const headers = Object.fromEntries(common);
  headers.etag = etag;
  headers['content-length'] = String(bytes.byteLength);
  if (encoding) headers['content-encoding'] = encoding;
  return { bytes, etag, headers };
}

function refusal(status: 404 | 405, headers: Headers): Answer {
  headers.set('cache-control', 'no-cache');
  headers.set('content-type', 'text/plain; charset=utf-8');
  headers.set('x-content-type-options', 'nosniff');
  if (status === 405) headers.set('allow', 'GET, HEAD');
  const body = status === 405 ? 'Only GET and HEAD are answered here.\n' : 'Not found.\n';
  return { status, headers: Object.fromEntries(headers), body };
}

/** The path in any other spelling: escaped, with dots, or a whole URL, as sent to a proxy. */
function plainPath(url: string): string {
  return decodePath(URL.parse(url, 'http://localhost')?.pathname ?? '');
}

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return '';
  }
}

/** Of the encodings there are, the one the browser likes best. */
function chooseBody({ plain, encoded }: File, accepted: string): Body {
  const accepts = parseAccept(accepted.toLowerCase());
  const weightOf = (name: string) =>
    (accepts.find(({ type }) => type === name) ?? accepts.find(({ type }) => type === '*'))?.q ?? 0;
  const [best = ''] = [...encoded.keys()]
    .filter((name) => weightOf(name) > 0)
    .sort((a, b) => weightOf(b) - weightOf(a));
  return encoded.get(best) ?? plain;
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
