import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BlobReader, BlobWriter, ZipWriter, type ZipWriterAddDataOptions } from '@zip.js/zip.js';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/support/service.ts';
import { pack, unpack } from './archive.ts';

type Entries = [name: string, content: BlobPart, options?: ZipWriterAddDataOptions][];

const MESSAGES = ['messages.db', 'what people wrote'] satisfies Entries[number];

async function zip(...entries: Entries): Promise<Buffer> {
  const writer = new ZipWriter(new BlobWriter());
  for (const [name, content, options] of entries)
    await writer.add(name, new BlobReader(new Blob([content])), options);
  return Buffer.from(await (await writer.close()).arrayBuffer());
}

function patched(bytes: Buffer, from: Buffer | string, to: Buffer | string): Buffer {
  const [old, next] = [Buffer.from(from), Buffer.from(to)];
  expect([bytes.includes(old), next.length]).toEqual([true, old.length]);
  for (let at = bytes.indexOf(old); at >= 0; at = bytes.indexOf(old, at + 1)) next.copy(bytes, at);
  return bytes;
}

const PLAIN = { level: 0, dataDescriptor: false } as const;

const uint32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer);

/** The second entry is within the first one's content, as in a small zip that unpacks to petabytes. */
async function overlapping(): Promise<Buffer> {
  const inner: Entries[number] = ['mine/2.json', 'x'.repeat(7_919), PLAIN];
  const bytes = await zip(['mine/1.json', new Uint8Array(await zip(inner)), PLAIN], inner);
  const [inside, beside] = [bytes.indexOf('PK\x03\x04', 1), bytes.lastIndexOf('PK\x03\x04')];
  return patched(bytes, uint32(beside), uint32(inside));
}

async function lying(bytes: number): Promise<Buffer> {
  const text = 'x'.repeat(7_919);
  const files = Array.from({ length: 100 }, (_, at): Entries[number] => [`mine/${at}.json`, text]);
  return patched(await zip(...files), uint32(7_919), uint32(bytes));
}

async function unpacked(bytes: Buffer) {
  const location = temporaryFolder();
  const folder = join(location, 'here/in/it');
  mkdirSync(folder, { recursive: true });
  const file = join(location, 'backup.zip');
  writeFileSync(file, bytes);
  const names = await unpack(file, folder).catch((error: Error) => error.message);
  const outside = readdirSync(location, { recursive: true }).filter((name) => !/^here/.test(String(name)));
  expect(outside).toEqual(['backup.zip']);
  return { names, folder };
}

test.each<[what: string, bytes: () => Promise<Buffer>, why: RegExp]>([
  ['that was cut off', async () => (await zip(MESSAGES)).subarray(0, 60), /not recognized|not found/],
  ['with a bit flipped', async () => patched(await zip([...MESSAGES, PLAIN]), 'wrote', 'wrotf'), /CRC32/],
  ['with a way up', () => zip(MESSAGES, ['mine/../../x.ts', 'x']), /Unsafe/],
  ['with one entry inside another', overlapping, /overlap/i],
  ['that says it is huge', () => lying(0xfffffff0), /too little room|uncompressed size/],
  ['that says it is small', () => lying(9), /uncompressed size/],
])('a zip %s is refused', async (_, bytes, why) => {
  const { names, folder } = await unpacked(await bytes());
  expect(names).toMatch(why);
  expect(readdirSync(join(folder, '..'))).toEqual(['it']);
});

test('only what belongs to a backup is taken from a zip, with a folder around it if it was unpacked and packed again', async () => {
  const wanted = ['messages.db', 'mine/words.json'];
  const others = ['mine/.git', 'mine/a/b.ts', 'mine/a\nb.ts', 'mine/', 'server/main.ts', '.env.local'];
  for (const top of ['', 'backup-2026/']) {
    const packed: Entries = [...wanted, ...others].map((name) => [top + name, name, { directory: false }]);
    const { names, folder } = await unpacked(await zip(...packed, ['__MACOSX/x', '']));
    expect(names).toEqual(wanted);
    expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual([...wanted, 'mine'].toSorted());
  }
});

test('a backup is read back, so one that the disk corrupted isn’t called whole', async () => {
  const file = join(temporaryFolder(), 'backup.zip');
  async function* spoiling(): AsyncGenerator<File> {
    yield new File([randomBytes(9_000)], 'messages.db');
    await expect.poll(() => statSync(file).size, { timeout: 10_000 }).toBeGreaterThan(9_000);
    const opened = openSync(file, 'r+');
    writeSync(opened, 'spoiled', 4_000);
    closeSync(opened);
  }
  await expect(pack(file, spoiling())).rejects.toThrow(/CRC32/);
});
