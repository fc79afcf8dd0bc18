import type { ReactElement } from 'react';
import { process as content } from '../content/process.ts';
import { Dimension, NewLine, Pencil, Stopwatch } from './parts/annotations.tsx';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Counter, HalfPacked } from './parts/bench.tsx';
import { Clipboard } from './parts/desk-things.tsx';
import { Floor } from './parts/floor.tsx';
import { Lettering } from './parts/lettering-on.tsx';
import { Parcel } from './parts/parcel.tsx';
import { Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, type Corner, circle, pathData, polyline, topFace } from './projection.ts';

const Z = WORK_HEIGHT;
/** The far corners of the old and new benches, and where the new line branches off. */
const BENCH: readonly [number, number] = [10.4, 2.2];
const NEW_BENCH: readonly [number, number] = [10.4, 8.6];
const BENCH_SIZE: readonly [number, number] = [4.2, 3.4];
const LANE = 3.1;
const NEW_LANE = 9.1;
const SPLIT = 4.6;

/** Parcels waiting for the bench, far ones first: units along x, y and up. */
const PILE: readonly Corner[] = [
  [1.4, LANE, Z],
  [3.2, LANE, Z],
  [5, LANE, Z],
  [6.8, LANE, Z],
  [8.6, LANE, Z],
  [4.8, LANE, Z + 1.25],
  [6.5, LANE + 0.2, Z + 1.25],
  [8.3, LANE, Z + 1.25],
  [6.7, LANE, Z + 2.5],
  [8.5, LANE + 0.1, Z + 2.5],
  [8.2, LANE, Z + 3.75],
  [5.4, 5.8, 0],
  [7.4, 6, 0],
  [6.3, 5.9, 1.25],
];

/**
 * The same corner of the plan three times: measured, with a ring around the bottleneck; the new line over the faded
 * old one; two benches and parcels on their way. They're in one file, so the later ones copy from the first.
 */
export const processStates = {
  'process-diagnose': state(<Diagnose />),
  'process-redesign': state(<Redesign />),
  'process-deliver': state(<Deliver />),
};

function state(drawing: ReactElement) {
  return <Sheet view={[-194, -56, 486, 340]}>{drawing}</Sheet>;
}

/** The bottleneck bench, its packer, and the waiting parcels. */
function Stuck() {
  return (
    <g id="stuck">
      <path className="d-hot d-h" d={circle('floor', at(12.5, 4), 4.4)} />
      <Belt from={[0.5, 2.8]} length={10} />
      <Person feet={at(12.7, 1.4)} pose="worry" />
      <Belt from={[14.6, 2.8]} length={5} />
      <g className="d-hot">
        <Counter from={BENCH} size={BENCH_SIZE} />
        <HalfPacked from={[12, 2.8]} />
      </g>
      {PILE.map((from) => (
        <Parcel key={from.join()} from={from} />
      ))}
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
      <Dimension from={[0.6, 8.6, 0]} length={9.8} />
      <path
        className="d-f"
        d={pathData([polyline([0.6, 5, 0], [0.6, 8.6, 0]), polyline([10.4, 5.8, 0], [10.4, 8.6, 0])])}
      />
      <Lettering text={content.lettering.waiting} from={at(2.2, 11)} room={8} />
      <path className="d-f" d="M-100 11V62" />
      <Stopwatch centre={[-100, -16]} />
      <Person feet={at(15.6, 11.2)} pose="read" hair="bun" apron>
        <g transform="translate(-27 -62)">
          <Clipboard from={[0, 0, 0]} on="right" />
        </g>
      </Person>
    </>
  );
}

function Redesign() {
  const [x, y] = NEW_BENCH;
  const [w, d] = BENCH_SIZE;
  const lane = NEW_LANE + 0.8;
  return (
    <>
      <use href="#floor" />
      <use href="#stuck" opacity=".4" />
      <g className="d-e" fillOpacity="0">
        <path
          className="d-h"
          d={pathData([
            topFace([x, y, Z], w, d),
            polyline([x, y + d, Z], [x, y + d, 0], [x + w, y + d, 0], [x + w, y, 0], [x + w, y, Z]),
            polyline([x + w, y + d, Z], [x + w, y + d, 0]),
          ])}
        />
      </g>
      <NewLine
        through={[
          [0.6, LANE + 0.8, Z],
          [SPLIT + 0.8, LANE + 0.8, Z],
          [SPLIT + 0.8, lane, Z],
          [17.4, lane, Z],
        ]}
      />
      <Lettering text={content.lettering.newLine} from={at(0.8, 12.2)} room={10} />
      <Pencil tip={at(17.7, lane, Z)} />
    </>
  );
}

function Deliver() {
  const parcels = (spots: readonly (readonly [number, number])[]) =>
    spots.map(([x, y]) => <Parcel key={x} from={[x, y, Z]} />);
  return (
    <>
      <use href="#floor" />
      <Belt from={[0.5, 2.8]} length={10} />
      <Person feet={at(12.7, 1.4)} pose="work" />
      <Belt from={[14.6, 2.8]} length={5} />
      <Counter from={BENCH} size={BENCH_SIZE} />
      {parcels([1.4, 4.6, 7.8, 11, 16].map((x) => [x, LANE]))}
      <Person feet={at(12.7, 7.8)} pose="work" hair="cap" />
      <Belt from={[SPLIT - 0.3, 5]} length={3.8} along="y" />
      <Belt from={[SPLIT - 0.3, NEW_LANE - 0.3]} length={6.1} />
      <Belt from={[14.6, NEW_LANE - 0.3]} length={5} />
      <Counter from={NEW_BENCH} size={BENCH_SIZE} />
      {parcels([[SPLIT, 6], ...[7.8, 11, 16].map((x) => [x, NEW_LANE] as const)])}
    </>
  );
}
