import type { ReactElement } from 'react';
import { Belt, Counter, Table, WORK_HEIGHT } from './parts/belt-and-benches.tsx';
import { Box, Parcel } from './parts/boxes.tsx';
import { Clipboard, Papers, SheetMonitor } from './parts/desk-things.tsx';
import { Backdrop, Floor } from './parts/floor.tsx';
import { Person, Seat } from './parts/person.tsx';
import { Rack } from './parts/rack.tsx';
import { Sheet } from './parts/sheet.tsx';
import { OpenVan } from './parts/van.tsx';
import { at, type Corner, onPlane, type Point, pathData, polyline, short, topFace } from './projection.ts';

const Z = WORK_HEIGHT;

const PLAN_VIEW = [-340, -104, 850, 602] as const;
/** The sore spot of each, and how high above it its number stands, so that it still shows. */
const SORE: readonly (readonly [Corner, number])[] = [
  [[4.6, 15.2, 7.25], 3.2],
  [[6.5, 3.6, 3.6], 5],
  [[17, 9.2, 6.4], 3.4],
  [[22.4, 12.4, 4.4], 3.4],
  [[34.2, 14.2, 6.6], 3.2],
];
const SPOTS = SORE.map(([[x, y, z], up]) => at(x, y, z + up));
/** The scale of the plan beside the leader lines. */
const SCALE = 0.44;

/** The five problems as details of the plan, all to one scale, with the sore spot in orange. */
export const problemDetails = {
  'detail-spreadsheet': detail([-104, -184], <Spreadsheet />),
  'detail-stock': detail([-110, -210], <Stock />),
  'detail-accountability': detail([-142, -214], <Accountability />),
  'detail-errors': detail([-138, -170], <Errors />),
  'detail-disconnect': detail([-110, -184], <Disconnect />),
};

function detail([left, top]: Point, drawing: ReactElement) {
  return (
    <Sheet view={[left, top, 268, 268]}>
      <Backdrop />
      {drawing}
    </Sheet>
  );
}

/** Orders on paper, typed into the spreadsheet by hand. */
function Spreadsheet() {
  return (
    <>
      <Table from={[-3.4, -2.6, 0]} size={[9.6, 3.8]} />
      <SheetMonitor from={[-3.1, -2.2, 3]} />
      <path className="d-p" d={pathData([topFace([-2, -0.4, Z], 3, 1)])} />
      <g className="d-hot">
        <Papers from={[3.8, -1.6, Z]} layers={13} />
      </g>
      <Person feet={at(-0.4, 2.6)} pose="type" hair="back" legs="sit">
        <Seat />
      </Person>
    </>
  );
}

/** One bay is empty, but the list has everything ticked off. */
function Stock() {
  return (
    <>
      <Rack from={[-5.4, -3]} length={10.8} rows={['121', '3?1', '212']} />
      <Person feet={at(1, 3.2)} pose="read" hair="bun" tool="">
        <g transform="translate(-27 -64)">
          <Clipboard from={[0, 0, 0]} on="right" ticks={4} />
        </g>
      </Person>
    </>
  );
}

/** A task board. One task has no name on it: two people each thought the other had it. */
function Accountability() {
  const cards = [0, 1, 2, 3, 4, 5].map((i) => ({ x: 8 + (i % 3) * 36, y: 20 + Math.floor(i / 3) * 35 }));
  const named = cards.filter((_, i) => i !== 1);
  return (
    <>
      <path d={pathData([polyline([-4, -3, 0], [-4, -3, 3]), polyline([3.2, -3, 0], [3.2, -3, 3])])} />
      <Box from={[-4.2, -3.3, 2.6]} size={[7.6, 0.3, 6]} />
      <g transform={onPlane('left', at(-4.2, -3, 8.6))}>
        <path className="d-k" d="M8 7h44v6H8z" />
        <path className="d-p" d={named.map(({ x, y }) => `M${x} ${y}h30v30H${x}z`).join('')} />
        <path className="d-f" d={named.map(({ x, y }) => `M${x + 5} ${y + 7}h20m-20 5h13`).join('')} />
        <path className="d-k" d={named.map(({ x, y }) => `M${x + 5} ${y + 18}h20v7h-20z`).join('')} />
        <g className="d-hot">
          <path className="d-l" d="M44 20h30v30H44z" />
          <path className="d-f" d="M49 27h20m-20 5h13" />
          <path className="d-p d-f" d="M49 37h20v8H49z" />
        </g>
      </g>
      <Person feet={at(-2.6, 3)} pose="shrug" hair="cap" mirror />
      <Person feet={at(3.6, 1.6)} pose="shrug" hair="bun" apron />
    </>
  );
}

/** On the site, out of the van: the wrong parcel among the right ones. */
function Errors() {
  return (
    <>
      <OpenVan from={[-2.2, -11.6]} />
      <Parcel from={[-1.4, -2.6, 1.3]} />
      <Parcel from={[0.4, -2.6, 1.3]} />
      <Person feet={at(5.4, 0.8)} pose="worry" hair="cap" />
      <Parcel from={[-3.4, 2, 0]} />
      <Parcel from={[-3.4, 4, 0]} />
      <Parcel from={[-3.4, 3, 1.25]} />
      <g className="d-hot">
        <Parcel from={[0, 3.4, 0]} size={[1.8, 1.8, 3.2]} />
      </g>
      <Clipboard from={[2.6, 3.2, 0]} ticks={1} />
    </>
  );
}

/** The answer is on the screen, but people ask by phone: the line between the two is cut. */
function Disconnect() {
  return (
    <>
      <Table from={[-4.4, -0.4, 0]} size={[7, 3]} />
      <SheetMonitor from={[-4.2, 0, 3]} />
      <Person feet={at(4.3, -3.7)} pose="call" hair="bun" apron />
      <path className="d-n d-a" d="m31-63 13 6m31 0 21-17" />
      <g className="d-hot" transform="translate(60-48)">
        <circle className="d-l" r="16" />
        <path d="m-6-6 12 12m0-12-12 12" strokeWidth="4" />
      </g>
    </>
  );
}

/** The shop, with a pin at each of the five spots. Its number goes on top, where Plan.module.css puts it. */
export function KeyPlan() {
  const pins = SORE.map(([[x, y, z], up]) => polyline([x, y, z], [x, y, z + up]));
  return (
    <Sheet view={PLAN_VIEW}>
      <Floor w={36} d={24} />
      <Rack from={[2, 1]} length={12} rows={['22132', '10312', '21210']} />
      <Rack from={[16, 1]} length={12} rows={['13221', '20121', '12012']} />
      <Person feet={at(9, 6.6)} pose="read" hair="bun" />
      <Box from={[13, 9, 0]} size={[5, 0.5, 6.4]} />
      <path
        className="d-p"
        transform={onPlane('left', at(13, 9.5, 6.4))}
        d="M10 10h24v24H10zM46 10h24v24H46zM10 46h24v24H10z"
      />
      <Table from={[1.5, 14.6, 0]} size={[10, 3.6]} />
      <SheetMonitor from={[2, 15, Z]} />
      <Person feet={at(5.4, 19.9)} pose="type" hair="back" />
      <OpenVan from={[29, 0.4]}>
        <Parcel from={[29.6, 9.2, 1.3]} />
      </OpenVan>
      <Belt from={[6, 11.2]} length={14} />
      <Belt from={[24.4, 11.2]} length={9} />
      <Counter from={[20, 10.4]} size={[4.4, 3.8]} />
      {[9, 11.6, 14.2, 16.8, 21.6, 26.2].map((x) => (
        <Parcel key={x} from={[x, 11.5, Z]} />
      ))}
      <Person feet={at(20.8, 15.6)} pose="work" hair="cap" mirror />
      <Box from={[30.6, 13.6, 0]} size={[4.8, 3, Z]} />
      <Box from={[31, 14, Z]} size={[4, 0.4, 3.6]} />
      <Person feet={at(31.4, 19.6)} pose="shrug" hair="bun" mirror />
      <path strokeWidth="3" d={pathData(pins)} />
      {SPOTS.map(([x, y]) => (
        <circle key={x} className="d-k" cx={short(x)} cy={short(y)} r="9" />
      ))}
    </Sheet>
  );
}

/** From each spot of the plan, a leader line goes down to its bubble below. In 1200 by 350 units, across the sheet. */
function Leaders({ lit }: { lit?: number }) {
  const isLit = lit !== undefined;
  const all = SPOTS.map(([x, y], i) => {
    const [left, top] = [Math.round(868 + x * SCALE), Math.round(48 + y * SCALE)];
    // The last turns the other way, so it may share a height with the second.
    return `M${left} ${top}V${248 + (i % 4 || i / 4) * 22}H${110 + i * 245}V350`;
  });
  return (
    <Sheet view={[0, 0, 1200, 350]}>
      {isLit ? (
        <path stroke="var(--signal-line)" strokeWidth="3" d={all[lit]} />
      ) : (
        <>
          <path stroke="var(--ground)" strokeWidth="7" d={all.join('')} />
          <path d={all.join('')} />
        </>
      )}
    </Sheet>
  );
}

/** All lines, and each by itself, for a problem that's ticked. */
export const leaders = {
  leaders: <Leaders />,
  'leader-1': <Leaders lit={0} />,
  'leader-2': <Leaders lit={1} />,
  'leader-3': <Leaders lit={2} />,
  'leader-4': <Leaders lit={3} />,
  'leader-5': <Leaders lit={4} />,
};
