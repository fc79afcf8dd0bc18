import { hash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { File } from './file-versions.ts';
import type { Call } from './system-calls.ts';

/*
 * What a power cut can leave of the files that system calls wrote: the rules of POSIX, as ALICE and CrashMonkey take
 * them, and harsher than any one file system.
 *
 * - Only what a completed fsync or fdatasync covers is sure to be there. It covers the calls that had returned before it
 *   began.
 * - Of anything else, each piece is on disk or isn't, apart from all others and in any order. A piece is a page of 4 kB
 *   of a file's content, or in `sectors` mode 512 bytes of it; a file's size; a change of names. Only changes of one and
 *   the same name keep their order.
 * - A piece that was written several times since it was synced may be any of these versions.
 * - Syncing a file doesn't make its name durable. Syncing its folder does, and that of the folder above makes the
 *   folder's own name durable.
 * - Where a file has grown and its content was lost, there are zeros. A file is cut short as one change: its size and
 *   all beyond it.
 *
 * Assumed: a sector is written whole or not at all; nothing changes what was synced (no rotting disk, no drive that lies
 * about fsync); a rename is one change, since file systems keep a journal of them; a file's mode and owner come with it.
 * Memory that's mapped isn't followed: SQLite's `-shm` is dropped, as it's made anew. Of anything else, a recording would
 * notice at its end.
 */

/** One piece of the disk that may be in several versions, the oldest of which is sure. */
export type Piece = { name: string; isName: boolean; versions: number; ats: number[] };

/** A state of the disk: file contents by path, and folders. */
export type State = { files: Map<string, Buffer>; folders: string[] };

/** The version of each piece: 0 is the synced one, `versions - 1` the newest. */
export type Pick = (pieces: Piece[]) => number[];

type Node = File | 'folder';
/** Names that change together: what they're names of from now on. */
type Change = { at: number; what: string; names: [path: string, node: Node | undefined][]; isSure: boolean };

export type DiskOptions = {
  /** Tears files at 512 bytes instead of 4 kB. */
  sectors?: boolean;
  /** What's there at first, on disk and by name. */
  start?: State;
};

export class Disk {
  private readonly folder: string;
  private readonly unit: number;
  /** As programs see it. */
  private readonly seen = new Map<string, Node>();
  /** What's surely there by name. */
  private readonly sure = new Map<string, Node>();
  private changes: Change[] = [];
  /** Open files whose name is gone. */
  private readonly nameless = new Map<string, Node>();

  constructor(folder: string, { sectors = false, start }: DiskOptions = {}) {
    this.folder = folder;
    this.unit = sectors ? 512 : 4096;
    for (const path of [folder, ...(start?.folders ?? [])]) this.begin(path, 'folder');
    for (const [path, bytes] of start?.files ?? []) this.begin(path, new File(this.unit, bytes));
  }

  private begin(path: string, node: Node): void {
    this.seen.set(path, node);
    this.sure.set(path, node);
  }

  apply(call: Call): void {
    switch (call.kind) {
      case 'make':
        if (!this.seen.has(call.path))
          this.rename(call, [[call.path, call.isFolder ? 'folder' : new File(this.unit)]]);
        break;
      case 'link':
        this.rename(call, [[call.to, this.seen.get(call.path)]]);
        break;
      case 'rename':
        this.rename(call, this.moved(call.path, call.to));
        break;
      case 'unlink':
        this.rename(call, [[call.path, undefined]]);
        break;
      case 'open': {
        const file = this.file(call.path);
        file.next = 0;
        file.appends = call.appends;
        break;
      }
      case 'write': {
        const file = this.file(call.path);
        const offset = call.offset ?? (file.appends ? file.size : file.next);
        file.write(offset, call.bytes, call.at);
        break;
      }
      case 'size': {
        const file = this.file(call.path);
        if (!call.onlyGrows || call.size > file.size) file.resize(call.size, call.at);
        break;
      }
      case 'sync':
        this.sync(call.path, call.from);
        break;
    }
  }

  /** A folder takes along what's in it. */
  private moved(path: string, to: string): Change['names'] {
    const below = [...this.seen].filter(([name]) => name.startsWith(`${path}/`));
    return [[path, this.seen.get(path)] as const, ...below].flatMap(([name, node]) => [
      [name, undefined],
      [to + name.slice(path.length), node],
    ]);
  }

  private rename({ at, what }: Call, names: Change['names']): void {
    for (const [path, node] of names) {
      const before = this.seen.get(path);
      if (before) this.nameless.set(path, before);
      if (node) this.seen.set(path, node);
      else this.seen.delete(path);
    }
    this.changes.push({ at, what, names, isSure: false });
  }

  private file(path: string): File {
    const open = path.replace(/ ?\(deleted\)$/, '');
    const node = (open === path ? this.seen.get(open) : undefined) ?? this.nameless.get(open);
    if (!(node instanceof File)) throw new Error(`The model of the disk has no file ${path}`);
    return node;
  }

  private sync(path: string, from: number): void {
    if (this.seen.get(path) !== 'folder') {
      this.file(path).sync(from);
      return;
    }
    for (const change of this.changes)
      if (change.at < from && change.names.some(([name]) => dirname(name) === path)) change.isSure = true;
    // In order, since a later change of a name may be sure before an earlier one.
    while (this.changes[0]?.isSure) {
      for (const [name, node] of this.changes.shift()?.names ?? []) put(this.sure, name, node);
    }
  }

  /** What isn't sure at this moment. */
  private uncertain() {
    const pieces: Piece[] = [];
    const changes = this.changes.filter(({ isSure }) => !isSure);
    for (const { what, at } of changes) pieces.push({ name: what, isName: true, versions: 2, ats: [-1, at] });
    const files = new Map<File, { size: number | undefined; units: Map<number, number> }>();
    const names = [...this.sure, ...this.changes.flatMap((change) => change.names)];
    for (const [path, node] of names) {
      if (!(node instanceof File) || files.has(node) || path.endsWith('-shm')) continue;
      const found = { size: undefined as number | undefined, units: new Map<number, number>() };
      files.set(node, found);
      const short = path.slice(this.folder.length + 1);
      if (node.sizes.length > 1) {
        found.size = pieces.length;
        const sizes = node.sizes.map(({ value }) => value).join(', ');
        pieces.push({
          name: `the size of ${short} (${sizes})`,
          isName: false,
          versions: node.sizes.length,
          ats: node.sizes.map(({ at }) => at),
        });
      }
      for (const [index, versions] of node.units) {
        if (versions.length === 1) continue;
        found.units.set(index, pieces.length);
        const name = `bytes ${index * this.unit}–${(index + 1) * this.unit - 1} of ${short}`;
        pieces.push({ name, isName: false, versions: versions.length, ats: versions.map(({ at }) => at) });
      }
    }
    return { pieces, changes, files };
  }

  /** What programs see in a file. */
  contentOf(path: string): Buffer | undefined {
    const node = this.seen.get(path);
    return node instanceof File ? node.newest() : undefined;
  }

  /** What programs see. */
  newest(): State {
    return this.cut((pieces) => pieces.map(({ versions }) => versions - 1)).state;
  }

  /** The disk with the picked version of each piece. */
  cut(pick: Pick): { state: State; pieces: Piece[]; picked: number[] } {
    const { pieces, changes, files } = this.uncertain();
    const picked = pick(pieces);
    const names = new Map(this.sure);
    // A name takes its changes in order, so a kept one keeps those before it.
    const kept = new Set<string>();
    for (const change of this.changes.toReversed()) {
      const piece = changes.indexOf(change);
      if (!change.isSure && picked[piece] === 0 && !change.names.some(([path]) => kept.has(path))) continue;
      if (!change.isSure) picked[piece] = 1;
      for (const [path] of change.names) kept.add(path);
    }
    for (const change of this.changes) {
      if (!change.isSure && picked[changes.indexOf(change)] === 0) continue;
      for (const [path, node] of change.names) put(names, path, node);
    }
    const contents = new Map<File, Buffer>();
    const contentOf = (file: File): Buffer => {
      const { size, units } = files.get(file) ?? {};
      const picks = (piece: number | undefined) => (piece === undefined ? 0 : (picked[piece] ?? 0));
      const bytes = contents.get(file) ?? file.at(picks(size), (index) => picks(units?.get(index)));
      contents.set(file, bytes);
      return bytes;
    };
    const state: State = { files: new Map(), folders: [] };
    // Sorted, so that a folder comes before what's in it; without its folder, a file can't be found.
    for (const path of [...names.keys()].toSorted()) {
      const node = names.get(path);
      if (path !== this.folder && names.get(dirname(path)) !== 'folder') names.delete(path);
      else if (node === 'folder') state.folders.push(path);
      else if (node && !path.endsWith('-shm')) state.files.set(path, contentOf(node));
    }
    return { state, pieces, picked };
  }
}

function put(names: Map<string, Node>, path: string, node: Node | undefined): void {
  if (node) names.set(path, node);
  else names.delete(path);
}

/** Puts a state of the disk into a folder, in place of what's there. */
export function putBack(state: State, from: string, to: string, isWanted = (_path: string) => true): void {
  rmSync(to, { recursive: true, force: true });
  const there = (path: string) => to + path.slice(from.length);
  mkdirSync(to, { recursive: true });
  for (const folder of state.folders) if (isWanted(folder)) mkdirSync(there(folder), { recursive: true });
  for (const [path, bytes] of state.files) if (isWanted(path)) writeFileSync(there(path), bytes);
}

const digests = new WeakMap<Buffer, string>();

/** Two disks with the same digest are the same. */
export function digestOf({ files, folders }: State, isWanted = (_path: string) => true): string {
  const lines = [...files].flatMap(([path, bytes]) => {
    if (!isWanted(path)) return [];
    const digest = digests.get(bytes) ?? hash('sha1', bytes);
    digests.set(bytes, digest);
    return [`${path} ${digest}`];
  });
  return hash('sha1', [...folders.filter(isWanted), ...lines].join('\n'));
}
