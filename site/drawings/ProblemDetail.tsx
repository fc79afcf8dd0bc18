import type { ReactElement } from 'react';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Counter, Table } from './parts/bench.tsx';
import { Box } from './parts/box.tsx';
import { Clipboard, Papers } from './parts/desk-things.tsx';
import { Backdrop } from './parts/floor.tsx';
import { SheetMonitor } from './parts/monitor.tsx';
import { Parcel } from './parts/parcel.tsx';
import { Person } from './parts/person.tsx';
import { Rack } from './parts/rack.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, onPlane, pathData, polyline, topFace } from './projection.ts';

const Z = WORK_HEIGHT;

export const problemDetails = {
  'detail-spreadsheet': lens([-22, 84, 1.42], <Spreadsheet />),
  'detail-stock': lens([-14, 82, 1.26], <Stock />),
  'detail-accountability': lens([-30, 92, 1.36], <Accountability />),
  'detail-errors': lens([-8, 50, 1.45], <Errors />),
  'detail-disconnect': lens([-84, 50, 1.2], <Disconnect />),
};

/** A detail of the plan through a round lens, with the sore spot in orange. */
function lens([x, y, scale]: readonly [right: number, down: number, scale: number], detail: ReactElement) {
  return (
    <Sheet view={[-200, -200, 400, 400]}>
      <g transform={`translate(${x} ${y})scale(${scale})`}>
        <Backdrop />
        {detail}
      </g>
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
        <Papers from={[3.8, -1.6, Z]} layers={15} />
      </g>
      <Papers from={[3.2, 0, Z]} layers={2} />
      <Person feet={at(-0.4, 2.9)} pose="type" hair="back" />
    </>
  );
}

/** One bay is empty, but the list has everything ticked off. */
function Stock() {
  return (
    <>
      <Rack from={[-5.4, -3]} length={10.8} rows={['121', '3?1', '212']} />
      <Person feet={at(4, 4.6)} pose="read" hair="bun">
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
      <Person feet={at(-1.6, 2.6)} pose="shrug" mirror />
      <Person feet={at(5, 1.6)} pose="shrug" hair="bun" apron />
    </>
  );
}

/** The wrong parcel among the right ones. */
function Errors() {
  return (
    <>
      <Belt from={[-9, -2]} length={6.4} />
      <Person feet={at(-0.2, -2.8)} pose="worry" hair="cap" />
      <Belt from={[2.4, -2]} length={8} />
      <Counter from={[-2.8, -2.6]} size={[5.2, 3.6]} />
      {[-8, -5.4, -2.4].map((x) => (
        <Parcel key={x} from={[x, -1.7, Z]} />
      ))}
      <g className="d-hot">
        <Parcel from={[0.1, -1.5, Z]} size={[1.5, 1.5, 2.7]} />
      </g>
      {[3.6, 6.4].map((x) => (
        <Parcel key={x} from={[x, -1.7, Z]} />
      ))}
      <Clipboard from={[0.3, 0.7, 2]} on="left" ticks={1} />
    </>
  );
}

/** The answer is on the screen, but people ask by phone: the line between the two is cut. */
function Disconnect() {
  return (
    <>
      <Table from={[-4.4, -0.4, 0]} size={[7, 3]} />
      <SheetMonitor from={[-4.2, 0, 3]} />
      <Person feet={at(5.6, -4)} pose="call" hair="bun" apron>
        <path className="d-k" d="M-14-86h5v14h-5z" />
      </Person>
      <path className="d-n d-a" d="m31-63 23 13m32 0 30-17" />
      <g className="d-hot" transform="translate(70-41)">
        <circle className="d-l" r="16" />
        <path d="m-6-6 12 12m0-12-12 12" strokeWidth="4" />
      </g>
    </>
  );
}
