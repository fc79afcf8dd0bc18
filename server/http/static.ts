import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseAccept } from 'hono/utils/accept';
import { getMimeType } from 'hono/utils/mime';
import { tryDecode } from 'hono/utils/url';
import { NOT_SENT_PAGE } from '../../contract/contact-message.ts';
import { SENTENCES_FILE } from '../../contract/refusal-sentences.ts';
import { readSentences } from './answers.ts';

/** What the function's server shows besides the function: the built site. */
export type Pages = ReturnType<typeof loadStaticFiles>;

/** What each encoding adds to a file's name, best first. */
const ENCODINGS = { br: '.br', gzip: '.gz', identity: '' };

type Bytes = Uint8Array<ArrayBuffer>;
/** In each of its encodings, best first, with all its headers. */
type File = { encoding: string; bytes: Bytes; headers: Record<string, string> & { etag: string } }[];

/** Reads the folder whole: no path, however it's spelled, reaches a file outside it, since none is looked up on disk. */
export function loadStaticFiles(folder: string) {
  let now = readFolder(folder);
  const sentences = { ...now.sentences };
  return {
    /** What the function says to visitors, in the page's language. Always this object, whose texts follow the page. */
    sentences,
    get notSent() {
      return now.notSent;
    },
    reload(): void {
      now = readFolder(folder);
      Object.assign(sentences, now.sentences);
    },
    /** For a target in any spelling, with dots or a whole URL. Undefined with neither that file nor a 404 page. */
    answer(method: string, target: string, header: (name: string) => string | undefined) {
      if (method !== 'GET' && method !== 'HEAD')
        return { status: 405, headers: { allow: 'GET, HEAD' }, body: null };
      // After two slashes, a host would begin.
      const { pathname = '' } = URL.parse(target.replace(/^[/\\]+/, '/'), 'http://localhost') ?? {};
      const found = now.files.get(tryDecode(pathname, decodeURIComponent));
      const file = found ?? now.files.get('/404.html');
      const taken = parseAccept(header('accept-encoding')?.toLowerCase() ?? '').filter(({ q }) => q > 0);
      const isTaken = (name: string) => name === 'identity' || taken.some(({ type }) => type === name);
      const best = file?.find(({ encoding }) => isTaken(encoding));
      if (!best) return undefined;
      const { headers, bytes: body } = best;
      if (!found) return { status: 404, headers, body };
      const known = (header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
      if (!known.includes('*') && !known.includes(headers.etag)) return { status: 200, headers, body };
      const { 'content-type': _, 'content-length': __, 'content-encoding': ___, ...rest } = headers;
      return { status: 304, headers: rest, body: null };
    },
  };
}

function readFolder(folder: string) {
  const onDisk = new Map<string, Bytes>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
    onDisk.set(`/${path}`, new Uint8Array(readFileSync(join(folder, path))));
  }
  const textOf = (path: string) => new TextDecoder().decode(onDisk.get(path));
  const rulesAt = readHeaders(textOf('/_headers'));
  const files = new Map<string, File>();
  for (const path of onDisk.keys()) {
    if (!isPublic(path)) continue;
    const file = toFile(path);
    files.set(path, file);
    const [, folder] = /^(.*)\/index\.html$/.exec(path) ?? [];
    if (folder !== undefined) for (const at of [`${folder}/`, folder || '/']) files.set(at, file);
  }

  function headersAt(path: string): Record<string, string> {
    const rules = rulesAt(path === '/index.html' ? '/' : path);
    const { 'cache-control': cached = 'public, max-age=0, must-revalidate' } = rules;
    // Cloudflare would replace her address with “[email protected]”.
    return { ...rules, 'cache-control': path.endsWith('.html') ? `${cached}, no-transform` : cached };
  }

  function toFile(path: string): File {
    const isPacked = onDisk.has(path + ENCODINGS.br) || onDisk.has(path + ENCODINGS.gzip);
    const common = {
      'content-type': getMimeType(path) ?? 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      ...headersAt(path),
      ...(isPacked && { vary: 'Accept-Encoding' }),
    };
    return Object.entries(ENCODINGS).flatMap(([encoding, end]) => {
      const bytes = onDisk.get(path + end);
      if (!bytes) return [];
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`;
      const own = { etag, 'content-length': String(bytes.byteLength) };
      const packed = end && { 'content-encoding': encoding };
      return [{ encoding, bytes, headers: { ...common, ...own, ...packed } }];
    });
  }

  const notSent = `/${NOT_SENT_PAGE}`;
  return {
    files,
    sentences: readSentences(textOf(`/${SENTENCES_FILE}`)),
    notSent: onDisk.has(notSent) ? { html: textOf(notSent), headers: headersAt(notSent) } : undefined,
  };
}

/** Not public: `_headers`, hidden files, compressed copies, and the page that needs filling in. */
function isPublic(path: string): boolean {
  if (path === `/${NOT_SENT_PAGE}` || Object.values(ENCODINGS).some((end) => end && path.endsWith(end)))
    return false;
  return path.split('/').every((part) => part === '.well-known' || !/^[._]/.test(part));
}

/**
 * The format of Netlify and Cloudflare Pages, so our own server and a static host respond alike: a path at the start of a
 * line, `Name: value` lines below it, `*` for any characters.
 */
export function readHeaders(text: string): (path: string) => Record<string, string> {
  const rules: { pattern: RegExp; headers: [name: string, value: string][] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    if (/^\S/.test(line)) {
      const pattern = line.trim().split('*').map(RegExp.escape).join('.*');
      rules.push({ pattern: new RegExp(`^${pattern}$`), headers: [] });
      continue;
    }
    const [, name = '', value = ''] = /^\s+([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (!name || rules.length === 0) throw new Error(`_headers has a line that is no header: ${line}`);
    rules.at(-1)?.headers.push([name.toLowerCase(), value]);
  }
  return (path) => {
    const matching = rules.filter(({ pattern }) => pattern.test(path));
    // A header set by several rules gets all their values.
    return Object.fromEntries(new Headers(matching.flatMap(({ headers }) => headers)));
  };
}
