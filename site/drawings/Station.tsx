import type { ReactElement, ReactNode } from 'react';
import { Belt, WIDTH, WORK_HEIGHT } from './parts/belt-and-benches.tsx';
import { Box, Parcel } from './parts/boxes.tsx';
import { Person } from './parts/person.tsx';
import { Sheet } from './parts/sheet.tsx';
import { Van } from './parts/van.tsx';
import { at, type Corner, onPlane, pathData, polyline, short } from './projection.ts';

const Z = WORK_HEIGHT;
/** Units from one station to the next, along either axis. */
const STEP = 9;

const STATIONS = [<Assess key="1" />, <Redesign key="2" />, <Implement key="3" />, <Stabilize key="4" />];

/** From the end of one station's belt onto the next one's, as high as they are. */
const WAY: readonly Corner[] = [
  [STEP + WIDTH, 1.1, Z],
  [STEP + 3.6, 1.1, Z],
  [STEP + 3.6, STEP + 5, Z],
  [2 * STEP + 0.6, STEP + 5, Z],
  [2 * STEP + 0.6, 2 * STEP, Z],
];

/** The four stations of a project on one belt, which ends at a van. At each station it turns, so that it runs across. */
export function StationsAcross() {
  const far = STATIONS.map((station, i) =>
    placed(
      <>
        <Turn y={WIDTH - STEP} />
        {station}
      </>,
      i,
      -1,
    ),
  );
  return (
    <Sheet view={[-35, -130, 1254, 276]}>
      {placed(<Belt from={[0, 0]} length={WIDTH} />, 4, -1)}
      {far.reverse()}
      {placed(<Parcel from={[1.2, 0.3, Z]} />, 4, -1)}
      {placed(<Loaded />, 4, -1)}
    </Sheet>
  );
}

/**
 * The same for narrow screens, where a belt all the way down would look like stairs: a drawn line leads from one belt to
 * the next, with room beside each for its words.
 */
export function StationsDown() {
  return (
    <Sheet view={[-35, -70, 242, 1340]}>
      {STATIONS.map((station, i) =>
        placed(
          <>
            <path className="d-n" d={pathData([polyline(...WAY)])} />
            {station}
          </>,
          2 * i,
          1,
        ),
      )}
      {placed(<Loaded />, 2 * STATIONS.length, 1)}
    </Sheet>
  );
}

function placed(drawing: ReactElement, turn: number, down: 1 | -1) {
  const [x, y] = at(STEP * turn, STEP * turn * down);
  return (
    <g key={turn} transform={`translate(${short(x)} ${short(y)})`}>
      {drawing}
    </g>
  );
}

/** The stretch of belt through a station, with what lies on it. */
function Line({ parcels = [1.4, 4.4, 7.4] }: { parcels?: readonly number[] }) {
  return (
    <>
      <Belt from={[0, 0]} length={STEP + WIDTH} />
      <g className="d-y">
        {parcels.map((x) => (
          <Parcel key={x} from={[x, 0.3, Z]} />
        ))}
      </g>
    </>
  );
}

/** The stretch from one station to the next. */
function Turn({ y }: { y: number }) {
  return (
    <>
      <Belt from={[STEP, y]} length={STEP - WIDTH} along="y" />
      <g className="d-y">
        <Parcel from={[STEP + 0.3, y + 2.6, Z]} />
      </g>
    </>
  );
}

/** A board on two feet behind the belt, with a flat drawing on it: 96 by 64. */
function Board({ children }: { children: ReactNode }) {
  return (
    <>
      <path strokeWidth="4" d={pathData([1, 6].map((x) => polyline([x, -3, 0], [x, -3, 2])))} />
      <Box from={[0.4, -3.4, 2]} size={[6.4, 0.4, 4.4]} />
      <g transform={onPlane('left', at(0.4, -3, 6.4))}>
        <path className="d-p" d="M5 5h92v60H5z" />
        {children}
      </g>
    </>
  );
}

/** The consultant's glass over the one parcel that's stuck. */
function Assess() {
  return (
    <>
      <Person feet={at(5.2, -1.4)} pose="work" hair="bun" tool="" />
      <Line parcels={[0.4, 8]} />
      <g className="d-hot">
        <Parcel from={[3, 0.3, Z]} />
      </g>
      <path
        className="d-e"
        fillOpacity="0"
        strokeWidth="4"
        d="m64-16 6 2M12-5a27 27 0 1053-11a27 27 0 10-53 11z"
      />
    </>
  );
}

/** The new line on the board, before anyone builds it. */
function Redesign() {
  return (
    <>
      <Board>
        <path className="d-f" d="M12 11h18v14H12zM50 11h18v14H50zM46 40h18v14H46z" />
        <path className="d-n" d="M30 18h9v29h44" />
      </Board>
      <Person feet={at(8, -2)} pose="point" hair="bun" />
      <Line />
    </>
  );
}

/** The client tries the new line; the consultant writes down what to change. */
function Implement() {
  return (
    <>
      <Person feet={at(3.4, -1.3)} pose="work" hair="cap" apron />
      <Person feet={at(7.6, -1.8)} pose="read" hair="bun" />
      <Line />
    </>
  );
}

/** The client's own people run it, by the steps on the board. */
function Stabilize() {
  return (
    <>
      <Board>
        <path d="m12 16 4 5 7-9m-11 26 4 5 7-9m-11 26 4 5 7-9M34 17h50M34 39h50M34 61h30" />
      </Board>
      <Person feet={at(8, -1.6)} pose="work" hair="cap" apron />
      <Line />
    </>
  );
}

/** At the end of the belt: a van, nose to the lower right, in front of all of it. What was stuck is on its way. */
function Loaded() {
  const [rear, far] = [WIDTH, -1.1];
  return (
    <>
      <g transform="scale(-1 1)">
        <Van from={[far, rear]} />
      </g>
      <path strokeWidth="4" transform={onPlane('left', at(rear + 2, far + 4.4, 5))} d="m0 14 12 13L34 0" />
    </>
  );
}
