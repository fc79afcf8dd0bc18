export type Version<Value> = { value: Value; at: number };

/** What of a file is sure to be on the disk, and what may be. The rules are in disk.ts. */
export class File {
  content: Buffer;
  size: number;
  next = 0;
  appends = false;
  readonly sizes: Version<number>[];
  /** By the number of the unit; only those that aren't sure to be as they're seen. */
  readonly units = new Map<number, Version<Buffer>[]>();
  private readonly unit: number;
  /** Its content while nothing about it is uncertain. */
  private whole: Buffer | undefined;

  constructor(unit: number, content: Buffer = Buffer.alloc(0)) {
    this.unit = unit;
    this.content = Buffer.from(content);
    this.whole = content;
    this.size = content.length;
    this.sizes = [{ value: content.length, at: -1 }];
  }

  write(offset: number, bytes: Buffer, at: number): void {
    const end = offset + bytes.length;
    this.makeRoom(end);
    const touched = this.keepOld(offset, end);
    bytes.copy(this.content, offset);
    for (const index of touched) this.units.get(index)?.push({ value: this.unitAt(index), at });
    this.next = end;
    if (end > this.size) this.resize(end, at);
  }

  resize(size: number, at: number): void {
    this.makeRoom(size);
    if (size < this.size) {
      this.keepOld(size, this.size);
      this.content.fill(0, size, this.size);
    }
    if (size !== this.size) this.sizes.push({ value: size, at });
    this.size = size;
    this.whole = undefined;
  }

  /** @param from a sync covers what was before this call */
  sync(from: number): void {
    const cuts = this.cutsShort(this.sizes.length - 1).filter(({ at }) => at < from);
    forget(this.sizes, from);
    const isCutLater = this.cutsShort(this.sizes.length - 1).length > 0;
    for (const [index, versions] of this.units) {
      for (const version of versions) version.value = this.cutShort(version, index, cuts);
      forget(versions, from);
      if (versions.length === 1 && !isCutLater) this.units.delete(index);
    }
  }

  newest(): Buffer {
    this.whole ??= Buffer.from(this.content.subarray(0, this.size));
    return this.whole;
  }

  /** @param size the place of its size among `sizes` */
  at(size: number, versionOf: (index: number) => number): Buffer {
    if (this.sizes.length === 1 && this.units.size === 0) return this.newest();
    const length = this.sizes[size]?.value ?? 0;
    const bytes = Buffer.alloc(length);
    this.content.copy(bytes, 0, 0, length);
    const cuts = this.cutsShort(size);
    for (const [index, versions] of this.units) {
      const version = versions[versionOf(index)];
      if (version) this.cutShort(version, index, cuts).copy(bytes, index * this.unit);
    }
    return bytes;
  }

  /** @returns the units between these offsets */
  private keepOld(start: number, end: number): number[] {
    this.whole = undefined;
    const touched: number[] = [];
    for (let index = Math.floor(start / this.unit); index * this.unit < end; index += 1) touched.push(index);
    for (const index of touched)
      if (!this.units.has(index)) this.units.set(index, [{ value: this.unitAt(index), at: -1 }]);
    return touched;
  }

  private cutsShort(size: number): Version<number>[] {
    return this.sizes.filter(({ value }, nth) => nth <= size && value < (this.sizes[nth - 1]?.value ?? 0));
  }

  /** What's left of a unit's version after the file was cut short. */
  private cutShort({ value, at }: Version<Buffer>, index: number, cuts: Version<number>[]): Buffer {
    const later = cuts.filter((cut) => cut.at > at).map((cut) => cut.value - index * this.unit);
    const kept = Math.max(0, Math.min(this.unit, ...later));
    return kept === this.unit ? value : Buffer.concat([value.subarray(0, kept)], this.unit);
  }

  private unitAt(index: number): Buffer {
    const bytes = Buffer.alloc(this.unit);
    this.content.copy(bytes, 0, index * this.unit, (index + 1) * this.unit);
    return bytes;
  }

  private makeRoom(size: number): void {
    if (size <= this.content.length) return;
    const bigger = Buffer.alloc(Math.max(size, 2 * this.content.length));
    this.content.copy(bigger);
    this.content = bigger;
  }
}

/** Drops the versions before the last one that was there when a sync began. */
export function forget<Value>(versions: Version<Value>[], from: number): void {
  const after = versions.findIndex(({ at }) => at >= from);
  versions.splice(0, (after < 0 ? versions.length : after) - 1);
}
