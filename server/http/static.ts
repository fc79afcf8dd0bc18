import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseAccept } from 'hono/utils/accept';
import { getMimeType } from 'hono/utils/mime';
import { tryDecode } from 'hono/utils/url';
import { NOT_SENT_PAGE } from '../../contract/contact-message.ts';
import { SENTENCES_FILE, type Sentences } from '../../contract/refusal-sentences.ts';
import { readSentences, type Template } from './answers.ts';

/** What the function's server shows besides the function: the built site. */
export type Pages = {
  /** Of any target, as it was sent. Undefined if there's neither that file nor a page that says so. */
  answer(method: string, target: string, header: HeaderOf): Answer | undefined;
  /** The page that gives back what was typed. */
  readonly notSent: Template | undefined;
  /** What the function says to visitors, in the page's language. Always this object, whose texts follow the page. */
  sentences: Sentences;
  /** Serves what's in the folder now. */
  reload(): void;
};

/** Best first. */
const ENCODINGS = { br: '.br', gzip: '.gz' };

type Bytes = Uint8Array<ArrayBuffer>;
/** One file in one encoding, with all its headers. */
type Body = { bytes: Bytes; headers: Record<string, string> };
type File = { plain: Body; encoded: [name: string, Body][] };
type Answer = { status: number; headers: Record<string, string>; body: Bytes | null };
type HeaderOf = (name: string) => string | null | undefined;

/**
 * Reads the whole folder at once. Requests are looked up in memory and never on disk, so no path, however it's spelled,
 * reaches a file outside it.
 */
export function loadStaticFiles(folder: string): Pages {
  let now = readFolder(folder);
  const sentences = { ...now.sentences };

  /** Under which path there's a file, in any spelling: escaped, with dots, or a whole URL, as sent to a proxy. */
  function find(target: string): string | undefined {
    const [path = ''] = target.split('?', 1);
    if (now.files.has(path)) return path;
    const plain = tryDecode(URL.parse(target, 'http://localhost')?.pathname ?? '', decodeURIComponent);
    return now.files.has(plain) ? plain : undefined;
  }

  return {
    sentences,
    get notSent() {
      return now.notSent;
    },
    reload() {
      now = readFolder(folder);
      Object.assign(sentences, now.sentences);
    },
    answer(method, target, header) {
      if (method !== 'GET' && method !== 'HEAD')
        return { status: 405, headers: { allow: 'GET, HEAD' }, body: null };
      const path = find(target);
      const file = now.files.get(path ?? '/404.html');
      if (!file) return undefined;
      const { bytes: body, headers } = chooseBody(file, header('accept-encoding') ?? '');
      // A missing file must be looked up again, even where existing ones are cached forever.
      if (path === undefined)
        return { status: 404, headers: { ...headers, 'cache-control': 'no-cache' }, body };
      if (!matches(header('if-none-match') ?? '', headers.etag ?? '')) return { status: 200, headers, body };
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
  const rules = parseHeadersFile(textOf('/_headers'));
  const files = new Map<string, File>();
  for (const [path, bytes] of onDisk) {
    if (!isPublic(path)) continue;
    const file = toFile(path, bytes);
    files.set(path, file);
    const [, folder] = /^(.*)\/index\.html$/.exec(path) ?? [];
    if (folder !== undefined) for (const at of [`${folder}/`, folder || '/']) files.set(at, file);
  }

  function toFile(path: string, bytes: Bytes): File {
    const packed = Object.entries(ENCODINGS).flatMap(([name, extension]) => {
      const smaller = onDisk.get(path + extension);
      return smaller ? [[name, smaller] as const] : [];
    });
    const common = {
      'content-type': getMimeType(path) ?? 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=0, must-revalidate',
      ...Object.fromEntries(headersFor(rules, path === '/index.html' ? '/' : path)),
      ...(packed.length > 0 && { vary: 'Accept-Encoding' }),
    };
    return {
      plain: toBody(bytes, common),
      encoded: packed.map(([name, smaller]) => [
        name,
        toBody(smaller, { ...common, 'content-encoding': name }),
      ]),
    };
  }

  const notSent = `/${NOT_SENT_PAGE}`;
  return {
    files,
    sentences: readSentences(textOf(`/${SENTENCES_FILE}`)),
    notSent: onDisk.has(notSent) ? { html: textOf(notSent), headers: headersFor(rules, notSent) } : undefined,
  };
}

/** Not public: `_headers`, hidden files, compressed copies, and the page that needs filling in. */
function isPublic(path: string): boolean {
  if (path === `/${NOT_SENT_PAGE}` || Object.values(ENCODINGS).some((end) => path.endsWith(end)))
    return false;
  return path.split('/').every((part) => part === '.well-known' || !/^[._]/.test(part));
}

function toBody(bytes: Bytes, common: Record<string, string>): Body {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`;
  return { bytes, headers: { ...common, etag, 'content-length': String(bytes.byteLength) } };
}

/** In the best encoding that the browser takes. */
function chooseBody({ plain, encoded }: File, accepted: string): Body {
  const taken = parseAccept(accepted.toLowerCase()).filter(({ q }) => q > 0);
  return encoded.find(([name]) => taken.some(({ type }) => type === name))?.[1] ?? plain;
}

function matches(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

/** One path pattern in a `_headers` file and the headers below it. */
type HeaderRule = { pattern: RegExp; headers: [name: string, value: string][] };

/**
 * Parses the format Netlify and Cloudflare Pages share, so our own server and a static host respond alike: a path at
 * the start of a line, `Name: value` lines below it, `*` for any characters.
 */
export function parseHeadersFile(text: string): HeaderRule[] {
  const rules: HeaderRule[] = [];
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
  return rules;
}

/** Every matching rule applies; a header set by several gets all their values. */
export function headersFor(rules: readonly HeaderRule[], path: string): Headers {
  return new Headers(rules.filter(({ pattern }) => pattern.test(path)).flatMap(({ headers }) => headers));
}
