import type { ReactElement } from 'react';
import { process as content } from '../content/process.ts';
import { Dimension, NewLine, OLD, Pencil, Stopwatch } from './parts/annotations.tsx';
import { Belt, Counter, HalfPacked, WORK_HEIGHT } from './parts/belt-and-benches.tsx';
import { Box, Parcel } from './parts/boxes.tsx';
import { Clipboard } from './parts/desk-things.tsx';
import { Floor } from './parts/floor.tsx';
import { Lettering } from './parts/lettering-on.tsx';
import { Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { Ladder } from './parts/site.tsx';
import { OpenVan } from './parts/van.tsx';
import { at, type Corner, circle, type Point, pathData, polyline } from './projection.ts';

const Z = WORK_HEIGHT;
/** A parcel's y on the line that goes straight through, and the far corners of the benches. */
const LANE = 6.5;
const OLD_BENCH: readonly [number, number] = [9.6, 0.9];
const BENCH: readonly [number, number] = [7.8, 5.6];
const BENCH_SIZE: readonly [number, number] = [4.4, 3.4];
/** An installer's van, which has something to load by then. */
const VAN: readonly [number, number] = [11.3, -5];

/** Parcels waiting for the bench, far ones first: units along x, y and up. */
const PILE: readonly Corner[] = [
  [2.7, 1.9, Z],
  [4.6, 1.7, Z],
  [6.3, 1.8, Z],
  [8, 1.7, Z],
  [4.7, 1.8, Z + 1.25],
  [6.4, 1.7, Z + 1.25],
  [8, 1.8, Z + 1.25],
  [6.5, 1.8, Z + 2.5],
  [7.9, 1.7, Z + 2.5],
  [7.8, 1.8, Z + 3.75],
  [2.6, 3.7, Z],
  [0.8, LANE, Z],
  [2.6, LANE, Z],
  [2.7, LANE - 0.1, Z + 1.25],
  [6.2, 5.6, 0],
  [8, 5.4, 0],
  [6, 7.6, 0],
  [7.3, 5.6, 1.25],
];

/**
 * The same corner of the plan three times: the work goes out of its way and waits, with a ring around the bottleneck;
 * the new line over the faded old one; nothing but that line. They're in one file, so the later ones copy from the first.
 */
export const processStates = {
  'process-diagnose': state(<Diagnose />),
  'process-redesign': state(<Redesign />),
  'process-deliver': state(<Deliver />),
};

function state(drawing: ReactElement) {
  return <Sheet view={[-194, -63, 506, 351]}>{drawing}</Sheet>;
}

/** With the list of what's found. */
function Consultant({ feet }: { feet: Point }) {
  return (
    <Person feet={feet} pose="read" hair="bun" apron>
      <g transform="translate(-27 -62)">
        <Clipboard from={[0, 0, 0]} on="right" />
      </g>
    </Person>
  );
}

/** The bottleneck bench, its packer, and the waiting parcels. */
function Stuck() {
  return (
    <g id="stuck">
      <path className="d-hot d-h" d={circle('floor', at(11.8, 2.9), 4.2)} />
      <Person feet={at(12, 0.2)} pose="worry" />
      <Belt from={[2.3, 1.4]} length={7.3} />
      <Belt from={[2.3, 3.6]} length={2.6} along="y" />
      <Belt from={[0.4, 6.2]} length={4.1} />
      <Belt from={[11.8, 4.3]} length={1.9} along="y" />
      <Belt from={[11.8, 6.2]} length={7.8} />
      <g className="d-hot">
        <Counter from={OLD_BENCH} size={BENCH_SIZE} />
        <HalfPacked from={[11.2, 1.5]} />
      </g>
      <g className="d-y">
        {PILE.map((from) => (
          <Parcel key={from.join()} from={from} />
        ))}
      </g>
    </g>
  );
}

function Diagnose() {
  return (
    <>
      <g id="floor">
        <Floor w={20} d={13} />
      </g>
      <Stuck />
      <Dimension from={[0.6, 10, 0]} length={9.8} />
      <Lettering text={content.lettering.waiting} from={at(1, 12.4)} scale={3.5} room={9.8} />
      <path className="d-f" d="M-134 13V80" />
      <Stopwatch centre={[-134, -14]} />
      <Consultant feet={at(15.6, 11.2)} />
    </>
  );
}

function Redesign() {
  const [x, y] = BENCH;
  const line = LANE + 0.8;
  return (
    <>
      <style>{OLD}</style>
      <use href="#floor" />
      <use href="#stuck" className="old" />
      <g className="d-h" stroke="var(--ink)">
        <Box from={[x, y, 0]} size={[...BENCH_SIZE, Z]} />
      </g>
      <NewLine
        through={[
          [0.4, line, Z],
          [17.4, line, Z],
        ]}
      />
      <Lettering text={content.lettering.newLine} from={at(1, 12.4)} scale={3.5} room={12} />
      <Person feet={at(18.2, 4.6)} pose="point" hair="cap" />
      <Pencil tip={at(17.7, line, Z)} />
      <Consultant feet={at(12.6, 11.4)} />
    </>
  );
}

/** Painted on the floor, behind the lettering. */
function Arrow({ from: [x, y], length }: { from: readonly [number, number]; length: number }) {
  const end = x + length;
  return (
    <path
      stroke="var(--label)"
      strokeWidth="3"
      d={pathData([
        polyline([x, y, 0], [end, y, 0]),
        polyline([end - 1.2, y - 1.2, 0], [end, y, 0], [end - 1.2, y + 1.2, 0]),
      ])}
    />
  );
}

function Deliver() {
  return (
    <>
      {/* The floor goes on below the van. */}
      <Box from={[VAN[0] - 0.4, VAN[1] - 0.3, -0.75]} size={[5.9, 0.3 - VAN[1], 0.75]} />
      <use href="#floor" />
      <OpenVan from={VAN}>
        <Parcel from={[VAN[0] + 2, VAN[1] + 9, 1.3]} />
      </OpenVan>
      {/* The floor's edge, over the van's shadow */}
      <path d={pathData([polyline([VAN[0] + 3.5, 0, 0], [20, 0, 0])])} />
      <Ladder foot={[VAN[0] + 2.6, VAN[1] + 10.8, 6.2]} top={[VAN[0] + 2.6, VAN[1] + 4.2, 6.2]} along="x" />
      <Person feet={at(9.4, 4.8)} pose="work" />
      <Lettering text={content.lettering.running} from={at(1, 12.4)} scale={3.5} room={11} />
      <Arrow from={[12.4, 11.7]} length={6} />
      <Belt from={[0.4, 6.2]} length={7.4} />
      <Belt from={[12.2, 6.2]} length={4.2} />
      <Counter from={BENCH} size={BENCH_SIZE} />
      <g className="d-y">
        {[1, 4.9, 8.8, 12.7].map((x) => (
          <Parcel key={x} from={[x, LANE, Z]} />
        ))}
      </g>
      <Person feet={at(17.2, 7.4)} pose="carry" hair="cap" />
    </>
  );
}
