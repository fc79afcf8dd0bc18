import { expect, test } from 'vitest';
import { combination } from './cuts.ts';
import { Disk, type DiskOptions, type State } from './disk.ts';
import type { Call } from './system-calls.ts';

type Deed = Call extends infer Each ? (Each extends Call ? Omit<Each, 'at' | 'what'> : never) : never;

const make = (path: string): Deed => ({ kind: 'make', path, isFolder: false });
const write = (path: string, offset: number, text: string): Deed => {
  return { kind: 'write', path, offset, bytes: Buffer.from(text) };
};
/** Of all that's before it. */
const sync = (path: string): Deed => ({ kind: 'sync', path, from: Number.POSITIVE_INFINITY });

/** All disks that a power cut after these calls could leave, as text. */
function disksAfter(deeds: Deed[], options: DiskOptions = {}): string[] {
  const disk = new Disk('/d', options);
  deeds.forEach((deed, at) => void disk.apply({ ...deed, at, what: deed.kind } as Call));
  const all = new Set<string>();
  const tell = ({ files }: State) =>
    [...files].map(([path, bytes]) => `${path} ${bytes.toString().replaceAll('\0', '')}`.trim()).join(', ');
  let combinations = 1;
  for (let nth = 0; nth < combinations; nth += 1) {
    const { state } = disk.cut((pieces) => {
      combinations = pieces.reduce((product, { versions }) => product * versions, 1);
      return combination(pieces, nth);
    });
    all.add(tell(state));
  }
  return [...all].toSorted();
}

const PAGE = 'x'.repeat(4096);

test('a synced file has no name for sure until its folder is synced', () => {
  const file = [make('/d/a'), write('/d/a', 0, 'hello'), sync('/d/a')];
  expect(disksAfter(file)).toEqual(['', '/d/a hello']);
  expect(disksAfter([...file, sync('/d')])).toEqual(['/d/a hello']);
});

test('a folder takes all that is in it along, until the folder above is synced', () => {
  const inside: Deed[] = [{ kind: 'make', path: '/d/new', isFolder: true }, make('/d/new/a'), sync('/d/new')];
  expect(disksAfter(inside)).toEqual(['', '/d/new/a']);
  expect(disksAfter([...inside, sync('/d')])).toEqual(['/d/new/a']);
});

test('what is not synced is there page by page, in any version, and zeros where a file has grown', () => {
  const start = { folders: [], files: new Map([['/d/a', Buffer.from('old')]]) };
  expect(disksAfter([write('/d/a', 0, 'mid'), write('/d/a', 0, 'new')], { start })).toEqual([
    '/d/a mid',
    '/d/a new',
    '/d/a old',
  ]);
  const grown = disksAfter([write('/d/a', 0, 'new'), write('/d/a', 4096, 'end')], { start });
  expect(grown).toEqual(['/d/a new', '/d/a newend', '/d/a old', '/d/a oldend']);
  const page = [make('/d/a'), sync('/d'), write('/d/a', 0, PAGE)];
  expect(disksAfter(page)).toHaveLength(2);
  expect(disksAfter(page, { sectors: true }).length).toBeGreaterThan(8);
});

test('a sync covers what was before it began', () => {
  const written = [make('/d/a'), sync('/d'), write('/d/a', 0, 'a'), write('/d/a', 1, 'b')];
  expect(disksAfter([...written, { kind: 'sync', path: '/d/a', from: 3 }])).toEqual(['/d/a a', '/d/a ab']);
});

test('a rename is there or is not, and so is all of a file that is cut short', () => {
  const start = { folders: [], files: new Map([['/d/a', Buffer.from(`${PAGE}${PAGE}`)]]) };
  expect(disksAfter([{ kind: 'rename', path: '/d/a', to: '/d/b' }], { start })).toEqual([
    `/d/a ${PAGE}${PAGE}`,
    `/d/b ${PAGE}${PAGE}`,
  ]);
  // Without the rename, the new file would have been the old one.
  const again = disksAfter([{ kind: 'rename', path: '/d/a', to: '/d/b' }, make('/d/a')], { start });
  expect(again).toEqual(
    [`/d/a ${PAGE}${PAGE}`, `/d/a, /d/b ${PAGE}${PAGE}`, `/d/b ${PAGE}${PAGE}`].toSorted(),
  );
  const cut: Deed = { kind: 'size', path: '/d/a', size: 3 };
  expect(disksAfter([cut], { start })).toEqual(['/d/a xxx', `/d/a ${PAGE}${PAGE}`].toSorted());
  expect(disksAfter([cut, sync('/d/a'), write('/d/a', 3, 'y')], { start })).toEqual([
    '/d/a xxx',
    '/d/a xxxy',
  ]);
});
