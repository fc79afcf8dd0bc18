import type { ReactElement } from 'react';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Counter, Table } from './parts/bench.tsx';
import { Box } from './parts/box.tsx';
import { Parcel } from './parts/parcel.tsx';
import { BOOK, Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, circle, onPlane, pathData, polyline, topFace } from './projection.ts';

const Z = WORK_HEIGHT;

/** The four stations of a project, all to one scale, on one baseline. */
export const stations = {
  'station-assess': station([0, 36], <Assess />),
  'station-redesign': station([-8, 50], <Redesign />),
  'station-implement': station([5, 52], <Implement />),
  'station-stabilize': station([-12, 49], <Stabilize />),
};

function station(place: readonly [right: number, down: number], drawing: ReactElement) {
  return (
    <Sheet view={[-100, -100, 200, 200]}>
      <g transform={`translate(${place.join(' ')})scale(.8)`} strokeWidth="1.8">
        {drawing}
      </g>
    </Sheet>
  );
}

/** A workflow map on a table, with a magnifier over the bottleneck. */
function Assess() {
  const lens = at(0.6, 0.3, Z + 1);
  return (
    <>
      <Person feet={at(-3, -4.6)} pose="work" hair="bun" />
      <Table from={[-4.2, -3, 0]} size={[8.4, 6]} />
      <path className="d-p" d={pathData([topFace([-3.4, -2.3, Z], 6.8, 4.6)])} />
      <path
        className="d-f"
        d={pathData([
          topFace([-2.8, -1.7, Z], 1.6, 1.2),
          topFace([1.4, 0.7, Z], 1.4, 1.2),
          topFace([1.2, -1.8, Z], 1.6, 1.2),
          polyline([-1.2, -1.1, Z], [-0.4, -1.1, Z], [-0.4, 0.2, Z]),
          polyline([-2.6, 0.6, Z], [-1.4, 0.6, Z]),
          polyline([-2.6, 1.4, Z], [-0.6, 1.4, Z]),
        ])}
      />
      <path className="d-e" d="m31-39 30 17 4 8-9-2-30-17z" />
      <path className="d-p" strokeWidth="4" d={circle('floor', lens, 1.6)} />
      <g className="d-hot">
        <Box from={[-0.2, -0.4, Z + 0.9]} size={[1.5, 1.3, 0.9]} />
      </g>
      <path className="d-e" fillOpacity="0" strokeWidth="4" d={circle('floor', lens, 1.6)} />
    </>
  );
}

/** The drafting board: the new line, before anyone builds it. */
function Redesign() {
  const foot = (x: number) => [polyline([x, 0, 0], [x, 0, 2]), polyline([x, -1.4, 0], [x, 1.4, 0])];
  return (
    <>
      <path strokeWidth="4" d={pathData([...foot(-3.4), ...foot(3.4)])} />
      <Box from={[-4.4, -0.3, 1.8]} size={[8.8, 0.5, 6]} />
      <g transform={onPlane('left', at(-4.4, 0.2, 7.8))}>
        <path className="d-p" d="M7 7h127v76H7z" />
        <path className="d-t" d="M0 87h141v4H0z" />
        <path className="d-f" d="M15 15h24v18H15zM64 15h24v18H64zM60 56h24v18H60z" />
        <path d="M39 24h25M88 24h38" opacity=".4" />
        <path className="d-n" d="M39 24h10v41h53" />
      </g>
      <Person feet={[70, 40]} pose="point" hair="bun">
        <path className="d-e" strokeWidth="3.5" d="m-33-71-9-9" />
      </Person>
    </>
  );
}

/** The client tries the new bench; its height is still being adjusted. */
function Implement() {
  const foot = at(-3, 2.8);
  const top = at(-3, 2.8, Z);
  return (
    <>
      <Person feet={at(-1, -3.2)} pose="work" hair="cap" />
      <Counter from={[-3, -2]} size={[4.6, 3.6]} />
      <Parcel from={[-1.4, -1, Z]} />
      <path
        className="d-f"
        d={pathData([
          polyline([-3, 1.9, Z], [-3, 3.3, Z]),
          polyline([-3, 1.9, 0], [-3, 3.3, 0]),
          polyline([-3, 1.6, 0], [1.6, 1.6, 0]),
        ])}
      />
      <path
        className="d-e"
        d={`M${top.join(' ')}l-4 9h8zM${foot.join(' ')}l-4-9h8zM${top.join(' ')}V${foot[1]}`}
      />
      <Person feet={at(4.4, 0.2)} pose="point" hair="bun" apron />
    </>
  );
}

/** The line runs, and its operator reads the manual. */
function Stabilize() {
  return (
    <>
      <Belt from={[-6, -2.4]} length={12} />
      {[-5.2, -2.2, 0.8, 3.8].map((x) => (
        <Parcel key={x} from={[x, -2.1, Z]} />
      ))}
      <Person feet={at(-1, 4.4)} pose="read" hair="bun" mirror>
        <path className="d-p" d={BOOK} />
      </Person>
    </>
  );
}
