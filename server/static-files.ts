import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { NOT_SENT_PAGE } from '../contract/contact.ts';
import { type HeaderRule, headersFor, parseHeadersFile } from './headers-file.ts';
import { fillNotSentPage, PLAIN_NOT_SENT_PAGE, type Typed } from './not-sent-page.ts';

/** What the function's server shows beside the function: the built site. */
export type Pages = {
  respond(request: Request): Response;
  /** The page that gives back what was typed, and the headers that go with it. */
  notSent(typed: Typed, error: string): { html: string; headers: Headers };
};

/** In the order of preference among what a browser likes equally. */
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'zstd', extension: '.zst' },
  { name: 'gzip', extension: '.gz' },
] as const;

type Body = { bytes: Uint8Array<ArrayBuffer>; etag: string };
type File = { type: string; plain: Body; encoded: Map<string, Body> };

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.pdf': 'application/pdf',
};

/**
 * Reads the whole folder once. Requests are looked up in what was read and never on the disk, so no
 * path, however spelt, reaches a file outside.
 */
export function loadStaticFiles(folder: string): Pages {
  const onDisk = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
    onDisk.set(`/${path}`, new Uint8Array(readFileSync(join(folder, path))));
  }
  const rules = parseHeadersFile(textOf(onDisk, '/_headers') ?? '');
  const notSentPage = textOf(onDisk, `/${NOT_SENT_PAGE}`) ?? PLAIN_NOT_SENT_PAGE;

  const files = new Map<string, File>();
  for (const [path, bytes] of onDisk) {
    if (isPublic(path)) files.set(path, toFile(path, bytes, onDisk));
  }
  const notFound = files.get('/404.html');
  return {
    respond: (request) => respond(request, files, notFound, rules),
    notSent: (typed, error) => ({
      html: fillNotSentPage(notSentPage, typed, error),
      headers: headersFor(rules, `/${NOT_SENT_PAGE}`),
    }),
  };
}

function textOf(onDisk: Map<string, Uint8Array>, path: string): string | undefined {
  const bytes = onDisk.get(path);
  return bytes && Buffer.from(bytes).toString('utf8');
}

/** Not: notes to static hosts (`_headers`), hidden files, packed siblings, and the page that needs filling. */
function isPublic(path: string): boolean {
  if (path === `/${NOT_SENT_PAGE}` || ENCODINGS.some(({ extension }) => path.endsWith(extension)))
    return false;
  return path.split('/').every((part) => part === '.well-known' || !/^[._]/.test(part));
}

function toFile(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  onDisk: Map<string, Uint8Array<ArrayBuffer>>,
): File {
  const encoded = new Map<string, Body>();
  for (const { name, extension } of ENCODINGS) {
    const packed = onDisk.get(path + extension);
    if (packed) encoded.set(name, toBody(packed));
  }
  return { type: TYPES[extname(path)] ?? 'application/octet-stream', plain: toBody(bytes), encoded };
}

function toBody(bytes: Uint8Array<ArrayBuffer>): Body {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, etag: `"${hash}"` };
}

function respond(
  request: Request,
  files: Map<string, File>,
  notFound: File | undefined,
  rules: readonly HeaderRule[],
): Response {
  const { pathname } = new URL(request.url);
  const headers = headersFor(rules, pathname);
  const setDefault = (name: string, value: string) => headers.has(name) || headers.set(name, value);
  setDefault('x-content-type-options', 'nosniff');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    headers.set('allow', 'GET, HEAD');
    headers.set('content-type', 'text/plain; charset=utf-8');
    return new Response('Only GET and HEAD are answered here.\n', { status: 405, headers });
  }

  const found = files.get(pathname === '/' ? '/index.html' : decodePath(pathname));
  const file = found ?? notFound;
  // A missing file must be looked for again, even where present ones are kept for ever.
  if (!found) headers.set('cache-control', 'no-cache');
  setDefault('cache-control', 'public, max-age=0, must-revalidate');
  if (!file) {
    headers.set('content-type', 'text/plain; charset=utf-8');
    return new Response(request.method === 'HEAD' ? null : 'Not found.\n', { status: 404, headers });
  }

  const encoding = chooseEncoding(request.headers.get('accept-encoding') ?? '', file.encoded);
  const body = (encoding && file.encoded.get(encoding)) || file.plain;
  if (file.encoded.size > 0) headers.append('vary', 'Accept-Encoding');
  headers.set('etag', body.etag);
  if (found && matches(request.headers.get('if-none-match'), body.etag)) {
    return new Response(null, { status: 304, headers });
  }
  setDefault('content-type', file.type);
  headers.set('content-length', String(body.bytes.byteLength));
  if (encoding) headers.set('content-encoding', encoding);
  return new Response(request.method === 'HEAD' ? null : body.bytes, { status: found ? 200 : 404, headers });
}

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return '';
  }
}

function chooseEncoding(accepted: string, available: Map<string, Body>): string | undefined {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    if (name) weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  return ENCODINGS.map(({ name }) => name)
    .filter((name) => available.has(name) && weightOf(name) > 0)
    .sort((a, b) => weightOf(b) - weightOf(a))[0];
}

function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (!ifNoneMatch) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
