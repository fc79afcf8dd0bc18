import { spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';
import { expect, test } from 'vitest';
import { openSqlite } from '../server/messages/sqlite.ts';
import { startServer, submit, waitingIn, watchProcess } from './support/service/server-process.ts';
import { temporaryFolder } from './support/service.ts';

/*
 * Real programs are recorded, and the disks that a power cut could have left are opened by the server's own code. Only what
 * an fsync covers is certain. Of anything else, each 512 bytes of a write, each size and each rename is on disk or
 * isn't, independently of the others. Syncing a file doesn't make its name durable; syncing its folder does.
 */

type Call = { name: string; path: string; args: string; texts: Buffer[] };
/** Without bytes, the file is cut or grown to that offset. */
type Change = { offset: number; bytes: Buffer };
type Node = { sure: Buffer; unsure: Change[]; next: number } | 'folder' | undefined;
type Files = Map<string, Buffer>;

const STRACE =
  'strace -D -f -qq -y -xx -s 33554432 -e signal=none --seccomp-bpf -e trace=?mkdir,mkdirat,?open,openat,?link,linkat,?rename,renameat,renameat2,?unlink,unlinkat,write,writev,pwrite64,sendto,sendmsg,ftruncate,fsync,fdatasync -o';
const unhex = (text = '') => Buffer.from(text.replaceAll('\\x', ''), 'hex');
const pathOf = (open: string) => String(unhex(/^(?:\d+|AT_FDCWD)<([^>]*)>/.exec(open)?.[1]));

function readCalls(logs: string[]): Call[] {
  const calls: Call[] = [];
  const begun = new Map<string, string>();
  for (const line of logs.flatMap((log) => readFileSync(log, 'latin1').split('\n'))) {
    const [, thread = '', now = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const text = now.replace(/^<\.\.\. \w+ resumed>/, () => begun.get(thread) ?? '');
    if (text.endsWith(' <unfinished ...>')) begun.set(thread, text.slice(0, -17));
    const [, name = '', args = '', result = '-1'] = /^(\w+)\((.*)\) += (.*)$/.exec(text) ?? [];
    if (/^(-1|\?)/.test(result) || args.includes('O_RDONLY')) continue;
    const texts = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => unhex(hex));
    const path = /dir|link|rename/.test(name) ? String(texts[0]) : pathOf(/^open/.test(name) ? result : args);
    calls.push({ name, path, args, texts });
  }
  return calls;
}

function contentOf(sure: Buffer, unsure: Change[], keeps = () => true): Buffer {
  if (unsure.length === 0) return sure;
  const ends = unsure.map(({ offset, bytes }) => offset + bytes.length);
  const content = Buffer.alloc(Math.max(sure.length, ...ends));
  let size = sure.copy(content);
  for (const { offset, bytes } of unsure) {
    if (bytes.length === 0 && keeps()) size = content.fill(0, offset) && offset;
    for (let at = 0; at < bytes.length; at += 512)
      if (keeps()) size = Math.max(size, offset + at + bytes.copy(content, offset + at, at, at + 512));
  }
  return content.subarray(0, size);
}

/** After each call: the disks that lost everything unsure, its contents, its names, any of it, or nothing. */
function* powerCuts(calls: Call[], folder: string): Generator<{ files: Files; said: string }> {
  const generator = mersenne(1);
  const seen = new Map<string, Node>([[folder, 'folder']]);
  const renames: { names: [string, Node][]; isSure: boolean }[] = [];
  let said = '';
  for (const { name, path, args, texts } of calls) {
    const node = seen.get(path);
    const rename = (...names: [string, Node][]) => {
      for (const [each, of] of names) seen.set(each, of);
      renames.push({ names, isSure: false });
    };
    if (!path.startsWith(folder)) {
      const text = /write|send/.test(name) ? String(Buffer.concat(texts)) : '';
      if (!/"ok":true|Copied|Restored/.test(text)) continue;
      said += text;
    } else if (name.startsWith('mkdir')) rename([path, 'folder']);
    else if (name.startsWith('link')) rename([String(texts[1]), node]);
    else if (name.startsWith('rename')) rename([path, undefined], [String(texts[1]), node]);
    else if (name.startsWith('unlink')) rename([path, undefined]);
    else if (args.includes('O_CREAT') && !node) rename([path, { sure: Buffer.of(), unsure: [], next: 0 }]);
    else if (node === 'folder') {
      for (const one of renames) one.isSure ||= one.names.some(([each]) => dirname(each) === path);
    } else if (!node) continue;
    else if (name.startsWith('open')) {
      if (args.includes('O_TRUNC')) node.unsure.push({ offset: 0, bytes: Buffer.of() });
      node.next = 0;
    } else if (name.endsWith('sync')) {
      node.sure = contentOf(node.sure, node.unsure);
      node.unsure = [];
    } else {
      const bytes = Buffer.concat(texts);
      const offset = /pwrite|trunc/.test(name) ? Number(args.split(', ').at(-1)) : node.next;
      node.next = offset + bytes.length;
      node.unsure.push({ offset, bytes });
    }
    for (const kept of ['nothing', 'names', 'contents', 'any', 'all']) {
      const keeps = (what: string) =>
        kept === 'any' ? uniformFloat64(generator) < 0.5 : kept === what || kept === 'all';
      const names = renames.filter(({ isSure }) => isSure || keeps('names')).flatMap((one) => one.names);
      const there = new Map<string, Node>([[folder, 'folder'], ...names]);
      const isThere = (each: string): boolean =>
        each === folder || (there.get(each) === 'folder' && isThere(dirname(each)));
      const files = [...there].flatMap(([each, of]): [string, Buffer][] => {
        if (!isThere(dirname(each)) || each.endsWith('-shm') || !of || of === 'folder') return [];
        return [[each, contentOf(of.sure, of.unsure, () => keeps('contents'))]];
      });
      yield { files: new Map(files), said };
    }
  }
}

/** Under `disk`: a day of a server, a backup, another day, and the backup restored elsewhere. */
async function record(home: string, disk: string): Promise<Call[]> {
  const log = (nth: number) => join(home, `calls-${nth}`);
  const [source, restored] = [`${disk}/hers/source`, `${disk}/restored`];
  const env = (at: string) => ({ DATABASE_URL: `file:${at}/contact.db`, MAIL_DIR: `${at}/mail` });
  const day = async (nth: number, ...texts: string[]) => {
    const server = await startServer(home, env(source), { under: [...STRACE.split(' '), log(nth)] });
    const answers = await Promise.all(texts.map((text) => submit(server.url, text)));
    expect(new Set(answers)).toEqual(new Set([200]));
    await expect.poll(() => waitingIn(`${source}/contact.db`)).toBe(0);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  };
  const desk = async (nth: number, verb: string, at: string, WORDS_DIR: string) => {
    const [strace = '', ...args] = [...STRACE.split(' '), log(nth), process.execPath, 'desk/desk-command.ts'];
    args.push(verb, `${disk}/copy.zip`);
    const { exited, out } = watchProcess(
      spawn(strace, args, { env: { ...process.env, ...env(at), WORDS_DIR } }),
    );
    expect(await exited, out()).toBe(0);
  };
  mkdirSync(disk);
  const words = join(home, 'words');
  mkdirSync(words);
  writeFileSync(join(words, 'words.json'), '{}');
  await day(0, 'We count everything twice.', 'Orders go missing. '.repeat(500), 'Who has the van?');
  await desk(1, 'backup', source, words);
  await day(2, 'Is Tuesday good?', '🚚'.repeat(9_000), 'The shelves are full.', 'Please call.');
  await desk(3, 'restore', restored, `${restored}/mine`);
  return readCalls([0, 1, 2, 3].map(log));
}

const known = new Map<string, Map<string, { message: string; state: string }>>();

async function rowsIn(folder: string, files: Files, location: string) {
  const own = [...files].filter(([path]) => dirname(path) === folder);
  const key = own.map(([path, bytes]) => path + hash('sha1', bytes)).join();
  if (!known.has(key)) {
    rmSync(location, { recursive: true });
    mkdirSync(location);
    for (const [path, bytes] of own) writeFileSync(join(location, basename(path)), bytes);
    const database = await openSqlite(join(location, 'contact.db'));
    expect(database.sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    const rows = await database.db.selectFrom('contact_message').select(['id', 'message', 'state']).execute();
    await database.close();
    known.set(key, new Map(rows.map((row) => [row.id, row])));
  }
  return known.get(key) ?? new Map();
}

async function findLoss(calls: Call[], disk: string, end: Files, location: string) {
  const texts = await rowsIn(`${disk}/hers/source`, end, location);
  for (const { files, said } of powerCuts(calls, disk)) {
    // What's only unpacked for a look may be half-written.
    const names = [...files.keys()].filter((path) => /^(?!.*\.unfinished\/).*\.(eml|json|zip)$/.test(path));
    const half = names.find((path) => !end.get(path)?.equals(files.get(path) ?? Buffer.of()));
    if (half) return `${basename(half)} isn’t whole`;
    if (said.includes('Copied') && !files.has(`${disk}/copy.zip`)) return 'the backup is missing';
    const source = await rowsIn(`${disk}/hers/source`, files, location);
    for (const [, id = ''] of said.matchAll(/"ok":true,"id":"([^"]+)"/g)) {
      const { message, state } = source.get(id) ?? {};
      if (message !== texts.get(id)?.message) return 'a message is missing';
      const isMailed = names.some((path) => path.includes('/source/') && path.includes(id));
      if (state === 'sent' && !isMailed) return 'the mail of a message that’s marked as sent is missing';
    }
    const { size } = await rowsIn(`${disk}/restored`, files, location);
    const hasWords = names.some((path) => path.includes('/restored/'));
    if (size !== 3 && (size > 0 || said.includes('Restored 3'))) return `${size} of 3 messages are restored`;
    if (size > 0 && !hasWords) return 'the messages are restored, and the words are missing';
  }
}

const FLUSHES: [flushed: RegExp, lost: RegExp][] = [
  [/source\/contact\.db-wal$/, /missing|damaged/],
  [/\/source$/, /missing|damaged/],
  [/\/source\/mail\/.*unfinished$/, /eml isn’t whole/],
  [/\/source\/mail$/, /the mail of .* is missing/],
  [/unfinished\/copy\.zip$/, /copy\.zip isn’t whole/],
  [/\/hers$/, /missing|damaged/],
  [/\/disk$/, /missing|damaged/],
  [/\/restored\/.*unfinished$/, /json isn’t whole/],
];

const withStrace = test.skipIf(spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0);
withStrace('a power cut loses nothing that was promised, but without any one flush it does', async () => {
  const [home, location] = [temporaryFolder(), temporaryFolder('/dev/shm')];
  const disk = join(home, 'disk');
  const calls = await record(home, disk);
  const paths = globSync(`${disk}/**/*.*`).filter((path) => !path.endsWith('-shm'));
  const end = new Map(paths.map((path) => [path, readFileSync(path)]));
  expect(powerCuts(calls, disk).reduce((_, cut) => cut).files).toEqual(end);
  expect(await findLoss(calls, disk, end, location)).toBeUndefined();
  for (const [flushed, lost] of FLUSHES) {
    const without = calls.filter(({ name, path }) => !(name.endsWith('sync') && flushed.test(path)));
    expect(await findLoss(without, disk, end, location).catch(String), String(flushed)).toMatch(lost);
  }
});
