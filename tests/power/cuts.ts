import { Disk, type DiskOptions, type Piece, type State } from './disk.ts';
import type { Recording } from './recording.ts';
import type { Call } from './system-calls.ts';

/** One disk that a power cut after a call could leave. */
export type Cut = { after: Call; state: State; pieces: Piece[]; picked: number[] };

/** Up to so many combinations are all tried. */
const FEW = 8;

/**
 * Disks that power cuts could leave, in one pass over a recording. Always among them are the disks where most goes wrong:
 * whenever somebody was told something, the one that lost all that isn't synced; whenever a name changed, the one that
 * has the names and lost the contents.
 *
 * @param density the share of all other moments that's taken
 */
export function* cuts(
  { folder, start, calls }: Recording,
  { random, density, isTold, ...rules }: CutOptions,
): Generator<Cut> {
  const disk = new Disk(folder, { start, ...rules });
  for (const after of calls) {
    disk.apply(after);
    if (isTold(after)) yield { after, ...disk.cut((pieces) => pieces.map(() => 0)) };
    if (CHANGES_NAMES.includes(after.kind)) yield { after, ...disk.cut(onlyNames) };
    if (after.kind === 'say' || after.kind === 'open' || random() >= density) continue;
    const cut = disk.cut((pieces) => choose(pieces, random));
    yield { after, ...cut };
    const all = cut.pieces.reduce((product, { versions }) => product * versions, 1);
    for (let nth = 0; all <= FEW && nth < all; nth += 1)
      yield { after, ...disk.cut((pieces) => combination(pieces, nth)) };
  }
}

const CHANGES_NAMES = ['make', 'link', 'rename', 'unlink'];

type CutOptions = Omit<DiskOptions, 'start'> & {
  random: () => number;
  density: number;
  isTold: (call: Call) => boolean;
};

const onlyNames = (pieces: Piece[]) => pieces.map(({ isName }) => (isName ? 1 : 0));

/** The nth of all combinations of versions. */
export function combination(pieces: Piece[], nth: number): number[] {
  let rest = nth;
  return pieces.map(({ versions }) => {
    const version = rest % versions;
    rest = Math.floor(rest / versions);
    return version;
  });
}

function choose(pieces: Piece[], random: () => number): number[] {
  const one = Math.floor(random() * pieces.length);
  const any = (versions: number) => Math.floor(random() * versions);
  const kept = [0.1, 0.5, 0.9][Math.floor(random() * 3)] ?? 0;
  const way = Math.floor(random() * 6);
  return pieces.map(({ versions }, index) => {
    if (way === 0) return 0;
    if (way === 1) return versions - 1;
    if (way === 2) return index === one ? any(versions - 1) : versions - 1;
    if (way === 3) return index === one ? versions - 1 : 0;
    return random() < kept ? versions - 1 : any(versions);
  });
}

/** What was lost, for people. */
export function story({ after, pieces, picked }: Cut, { calls, folder }: Recording): string {
  const short = (text: string) => text.replaceAll(`${folder}/`, '');
  const lost = pieces.flatMap(({ name, versions, ats }, index) => {
    const version = picked[index] ?? 0;
    if (version === versions - 1) return [];
    const by = ats.slice(version + 1).map((at) => `call ${at}`);
    const few = by.length > 3 ? [...by.slice(0, 2), `… ${by.at(-1)}`] : by;
    return [`  ${short(name)} (${few.join(', ')})`];
  });
  const most = 12;
  return [
    `The power is cut after call ${after.at} of ${calls.length}: ${short(after.what)}`,
    `Of ${pieces.length} pieces that weren’t synced, ${lost.length} are lost in their newest version:`,
    ...lost.slice(0, most),
    ...(lost.length > most ? [`  … and ${lost.length - most} more`] : []),
  ].join('\n');
}
