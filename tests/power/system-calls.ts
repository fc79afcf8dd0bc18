import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findStrace, NoBrowserError } from '../support/site/find-browser.ts';

/*
 * What programs do to a folder, read from strace. The kernel's answers and its order are the truth here, whichever
 * language or library made the call.
 */

/** A change of the folder, a sync, or what a program said, in the order in which they took effect. */
export type Call = {
  /** Its place among all calls. */
  at: number;
  /** As a story tells it: `fsync data/contact.db-wal`. */
  what: string;
} & Deed;

type Deed =
  | { kind: 'make'; path: string; isFolder: boolean }
  /** Without an offset, it's where the last one ended. */
  | { kind: 'write'; path: string; offset: number | undefined; bytes: Buffer }
  | { kind: 'size'; path: string; size: number; onlyGrows?: boolean }
  | { kind: 'open'; path: string; appends: boolean }
  | { kind: 'rename' | 'link'; path: string; to: string }
  | { kind: 'unlink'; path: string }
  /** Covers what took effect before the call `from`. */
  | { kind: 'sync'; path: string; from: number }
  /** A write to a socket, pipe or terminal, which may have been read as soon as it began. */
  | { kind: 'say'; text: string };

const TRACED = [
  ['openat', 'open', 'creat', 'mkdir', 'mkdirat', 'link', 'linkat', 'rename', 'renameat', 'renameat2'],
  ['unlink', 'unlinkat', 'rmdir', 'write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'sendto', 'sendmsg'],
  ['truncate', 'ftruncate', 'fallocate', 'fsync', 'fdatasync', 'copy_file_range', 'sendfile'],
  ['sync', 'syncfs', 'symlink', 'symlinkat'],
].flat();

/** Why nothing can be traced here, or undefined. */
export function whyNoStrace(): string | undefined {
  if (process.platform !== 'linux') return 'strace is for Linux';
  try {
    // Containers may forbid it.
    const [strace = '', ...options] = tracer();
    const { status } = spawnSync(strace, [...options, '-o', '/dev/null', 'true'], { timeout: 30_000 });
    return status === 0 ? undefined : 'strace may not trace here, or is older than 5.5';
  } catch (error) {
    if (error instanceof NoBrowserError) return error.message;
    throw error;
  }
}

/**
 * Runs a command under strace: put it, with `-o` and a log, before the command. The command stays the direct child and
 * gets its signals.
 */
export function tracer(): string[] {
  const whole = ['-D', '-f', '-qq', '-y', '-v', '-xx', '-s', String(2 ** 25), '-e', 'signal=none'];
  const times = ['--timestamps=unix,ns', '--syscall-times=ns'];
  return [findStrace(), ...whole, ...times, '--seccomp-bpf', '-e', `trace=${TRACED.join()}`];
}

type Line = { name: string; args: string; result: string; begin: bigint; end: bigint };

/**
 * Reads the logs of programs that ran side by side.
 *
 * @param folder without symbolic links; what's elsewhere is left out. Relative paths are taken to be in it
 */
export function readCalls(logs: string[], folder: string): Call[] {
  const lines = logs.flatMap(readLines);
  // What's said counts from its beginning, and a sync covers what was done before its beginning.
  const moments = lines.flatMap((line): { time: bigint; line: Line; isBegin: boolean }[] => {
    const begin = { time: line.begin, line, isBegin: true };
    const end = { time: line.end, line, isBegin: false };
    if (/sync/.test(line.name)) return [begin, end];
    return [isSaid(line, folder) ? begin : end];
  });
  moments.sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
  const calls: Call[] = [];
  const syncsFrom = new Map<Line, number>();
  for (const { line, isBegin } of moments) {
    const isSync = /sync/.test(line.name);
    if (isSync && isBegin) {
      syncsFrom.set(line, calls.length);
      continue;
    }
    for (const deed of deedsOf(line, folder, syncsFrom.get(line) ?? 0))
      calls.push({ ...deed, at: calls.length, what: nameOf(line.name, deed) });
  }
  return calls;
}

function readLines(log: string): Line[] {
  const lines: Line[] = [];
  const unfinished = new Map<string, { head: string; begin: bigint }>();
  for (const text of readFileSync(log, 'latin1').split('\n')) {
    const [, thread = '', seconds = '', nanos = '', rest = ''] =
      /^(\d+) +(\d+)\.(\d+) (.*)$/.exec(text) ?? [];
    if (!thread) continue;
    const now = BigInt(seconds + nanos);
    if (rest.endsWith(' <unfinished ...>')) {
      unfinished.set(thread, { head: rest.slice(0, -' <unfinished ...>'.length), begin: now });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const first = resumed ? unfinished.get(thread) : undefined;
    const whole = first ? first.head + resumed?.[1] : rest;
    const [, name, args, result, took = '0'] = /^(\w+)\((.*)\) += (.*?)(?: <(\d+\.\d+)>)?$/.exec(whole) ?? [];
    if (name === undefined || args === undefined || result === undefined) continue;
    // Ended with its process, or refused.
    if (result.startsWith('-1') || result.startsWith('?')) continue;
    const begin = first?.begin ?? now;
    const end = first ? now : now + BigInt(Math.round(Number(took) * 1e9));
    lines.push({ name, args, result, begin, end });
  }
  return lines;
}

const FILE = /^(?:\d+|AT_FDCWD)<([^>]*)>/;
const STRINGS = /"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g;

function isSaid({ name, args }: Line, folder: string): boolean {
  return /write|send/.test(name) && !pathOfFile(args).startsWith(`${folder}/`);
}

const unhex = (text: string): Buffer => Buffer.from(text.replaceAll('\\x', ''), 'hex');

/** Of the first argument, which is an open file; strace says which. */
function pathOfFile(args: string): string {
  const path = FILE.exec(args)?.[1] ?? '';
  return path.includes('\\x') ? unhex(path).toString() : path;
}

function stringsOf(args: string): Buffer[] {
  return [...args.matchAll(STRINGS)].map(([, hex = '', more]) => {
    if (more) throw new Error('strace cut a text short');
    return unhex(hex);
  });
}

function deedsOf(line: Line, folder: string, from: number): Deed[] {
  const { name, args, result } = line;
  const isOurs = (path: string) => path === folder || path.startsWith(`${folder}/`);
  const refuse = (why: string): never => {
    throw new Error(`The model of the disk doesn't know ${name} ${why}`);
  };
  const file = pathOfFile(args);
  const numbers = () => args.replace(STRINGS, '').split(', ').slice(1).map(Number);
  /** Each path of a call that takes names, absolute. */
  const paths = (): string[] => {
    const base = [...args.matchAll(/(?:\d+|AT_FDCWD)<([^>]*)>/g)].map(([, hex = '']) =>
      unhex(hex).toString(),
    );
    return stringsOf(args).map((path, nth) => resolve(base[nth] ?? base[0] ?? folder, path.toString()));
  };
  const one = (): string => paths()[0] ?? '';

  switch (name) {
    case 'open':
    case 'creat':
    case 'openat': {
      const path = pathOfFile(result);
      if (!isOurs(path) || !(name === 'creat' || /O_WRONLY|O_RDWR/.test(args))) return [];
      if (/O_D?SYNC/.test(args)) refuse('with O_SYNC');
      return [
        ...(name === 'creat' || args.includes('O_CREAT')
          ? [{ kind: 'make' as const, path, isFolder: false }]
          : []),
        ...(name === 'creat' || args.includes('O_TRUNC') ? [{ kind: 'size' as const, path, size: 0 }] : []),
        { kind: 'open', path, appends: args.includes('O_APPEND') },
      ];
    }
    case 'write':
    case 'writev':
    case 'sendto':
    case 'sendmsg':
    case 'pwrite64':
    case 'pwritev': {
      const said = Buffer.concat(stringsOf(args));
      if (!isOurs(file)) return [{ kind: 'say', text: said.toString() }];
      const bytes = said.subarray(0, Number(result));
      const offset = name.startsWith('p') ? Number(/, (\d+)$/.exec(args)?.[1]) : undefined;
      return [{ kind: 'write', path: file, offset, bytes }];
    }
    case 'ftruncate':
      return isOurs(file) ? [{ kind: 'size', path: file, size: numbers()[0] ?? 0 }] : [];
    case 'truncate':
      return isOurs(one()) ? [{ kind: 'size', path: one(), size: numbers()[0] ?? 0 }] : [];
    case 'fallocate': {
      const [mode, offset = 0, length = 0] = numbers();
      if (!isOurs(file)) return [];
      if (mode !== 0) refuse('with a mode');
      return [{ kind: 'size', path: file, size: offset + length, onlyGrows: true }];
    }
    case 'fsync':
    case 'fdatasync':
      return isOurs(file) ? [{ kind: 'sync', path: file, from }] : [];
    case 'mkdir':
    case 'mkdirat':
      return isOurs(one()) ? [{ kind: 'make', path: one(), isFolder: true }] : [];
    case 'link':
    case 'linkat':
    case 'rename':
    case 'renameat':
    case 'renameat2': {
      const [path = '', to = ''] = paths();
      if (!isOurs(path) && !isOurs(to)) return [];
      if (isOurs(path) !== isOurs(to)) refuse('across the edge of the folder');
      return [{ kind: name.startsWith('link') ? 'link' : 'rename', path, to }];
    }
    case 'unlink':
    case 'unlinkat':
    case 'rmdir':
      return isOurs(one()) ? [{ kind: 'unlink', path: one() }] : [];
    case 'sync':
    case 'syncfs':
      return refuse('');
    default:
      return isOurs(file) || stringsOf(args).some((path) => isOurs(resolve('/', path.toString())))
        ? refuse('')
        : [];
  }
}

function nameOf(name: string, deed: Deed): string {
  if (deed.kind === 'say') return 'an answer';
  return `${name} ${deed.path}${'to' in deed ? ` → ${deed.to}` : ''}`;
}
