import { Backdrop } from './parts/backdrop.tsx';
import { Belt, WORK_HEIGHT } from './parts/belt.tsx';
import { Counter, Table } from './parts/bench.tsx';
import { Box, Boxes } from './parts/box.tsx';
import { Clipboard, Papers, Phone } from './parts/desk-things.tsx';
import { Lettering } from './parts/lettering-on.tsx';
import { SheetMonitor } from './parts/monitor.tsx';
import { Parcel } from './parts/parcel.tsx';
import { Person } from './parts/person.tsx';
import { Rack, uprights } from './parts/rack.tsx';
import { Sheet } from './parts/sheet.tsx';
import { at, onPlane, pathData, polyline } from './projection.ts';

export type Problem = 'spreadsheet' | 'stock' | 'accountability' | 'errors' | 'disconnect';

const Z = WORK_HEIGHT;
const DETAILS = {
  spreadsheet: Spreadsheet,
  stock: Stock,
  accountability: Accountability,
  errors: Errors,
  disconnect: Disconnect,
} satisfies Record<Problem, () => unknown>;

/** A detail of the plan seen through a round lens, with the one place where it hurts in orange. */
export function ProblemDetail({ of, label }: { of: Problem; label?: string }) {
  const Detail = DETAILS[of];
  return (
    <Sheet label={label} view={[-200, -200, 400, 400]}>
      <g transform="scale(1.6)">
        <Backdrop />
        <Detail />
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
      <path
        className="d-p"
        d={pathData([
          { closed: true, points: [at(-1.6, -0.4, Z), at(1.4, -0.4, Z), at(1.4, 0.6, Z), at(-1.6, 0.6, Z)] },
        ])}
      />
      <g className="d-hot">
        <Papers from={[3.8, -1.8, Z]} layers={15} />
      </g>
      <Papers from={[4.2, 0, Z]} layers={2} />
      <Person feet={at(-0.4, 3.4)} pose="type" hair="back" />
      <g className="d-hot" />
    </>
  );
}

/** One bay is empty, and whoever counts looks the other way. */
function Stock() {
  return (
    <>
      <g transform="translate(-20 4)">
        <Rack from={[-5.4, -3]} length={10.8} rows={['121', '301', '212']} />
        <g className="d-hot">
          <Boxes
            of={[
              [
                [-1.5, -2.6, 3.4],
                [3, 1.8, 1.8],
              ],
            ]}
          />
          <path
            className="d-f"
            d={pathData([
              polyline([-1.5, -0.8, 3.4], [1.5, -0.8, 5.2]),
              polyline([1.5, -0.8, 3.4], [-1.5, -0.8, 5.2]),
            ])}
          />
        </g>
        <path d={uprights([-5.4, -3], 10.8, 'near')} />
      </g>
      <Person feet={at(4.4, 4.6)} pose="read" hair="bun">
        <g transform="translate(-27 -64)">
          <Clipboard from={[0, 0, 0]} on="right" ticks={4} />
        </g>
      </Person>
    </>
  );
}

/** A board of tasks; one has no name on it, and two people who thought the other had it. */
function Accountability() {
  const cards = [0, 1, 2, 3, 4, 5].map((i) => ({
    x: 8 + (i % 3) * 34,
    y: 20 + Math.floor(i / 3) * 33,
    none: i === 4,
  }));
  const named = cards.filter((card) => !card.none);
  return (
    <>
      <path d={pathData([polyline([-4, -3, 0], [-4, -3, 3]), polyline([3.2, -3, 0], [3.2, -3, 3])])} />
      <Box from={[-4.2, -3.3, 2.2]} size={[7.6, 0.3, 6.2]} />
      <g transform={onPlane('left', at(-4.2, -3, 8.4))}>
        <path className="d-k" d="M8 7h40v6H8z" />
        <path className="d-p" d={named.map(({ x, y }) => `M${x} ${y}h28v27H${x}z`).join('')} />
        <path className="d-f" d={cards.map(({ x, y }) => `M${x + 5} ${y + 6}h18m-18 4h12`).join('')} />
        <path className="d-k" d={named.map(({ x, y }) => `M${x + 5} ${y + 17}h14v5h-14z`).join('')} />
        <g className="d-hot">
          <path className="d-t" d="M42 53h28v27H42z" />
          <path className="d-f" d="M47 59h18m-18 4h12" />
          <path className="d-p d-f" d="M47 69h14v6H47z" />
        </g>
      </g>
      <Person feet={at(-2, 2.8)} pose="shrug" mirror />
      <Person feet={at(4.2, 1.6)} pose="shrug" hair="bun" apron />
    </>
  );
}

/** The wrong parcel among the right ones. */
function Errors() {
  return (
    <>
      <g transform="translate(0 34)">
        <Belt from={[-9, -2]} length={6.4} />
        <Person feet={at(-0.2, -2.8)} pose="worry" hair="cap" />
        <Belt from={[2.4, -2]} length={8} />
        <Counter from={[-2.8, -2.6]} size={[5.2, 3.6]} />
        {[-8, -5.4].map((x) => (
          <Parcel key={x} from={[x, -1.7, Z]} />
        ))}
        <Parcel from={[-2.4, -1.7, Z]} />
        <g className="d-hot">
          <Parcel from={[0.1, -1.5, Z]} size={[1.5, 1.5, 2.7]} />
        </g>
        <Parcel from={[3.6, -1.7, Z]} />
        <Parcel from={[6.4, -1.7, Z]} />
        <Clipboard from={[-1.6, 1.1, 2]} on="left" ticks={1} />
      </g>
    </>
  );
}

/** The screen knows, the people ask by phone: the line between them is cut. */
function Disconnect() {
  return (
    <>
      <Table from={[-8.6, -2.4, 0]} size={[7.4, 3.2]} />
      <SheetMonitor from={[-8.2, -2, 3]} />
      <path className="d-n d-a" d={pathData([polyline([-2.4, 0.8, 1.2], [-2.4, 3, 0], [0.6, 3, 0])])} />
      <path className="d-n d-a" d={pathData([polyline([3.4, 3, 0], [6.4, 3, 0], [6.4, 1.4, 0])])} />
      <g className="d-hot" strokeWidth="4">
        <path d={pathData([polyline([1.2, 2, 0], [2.8, 4, 0]), polyline([2.8, 2, 0], [1.2, 4, 0])])} />
        <path
          strokeWidth="2"
          d={pathData([
            polyline([2, 3, 1.6], [2, 3, 3]),
            polyline([1, 3, 1.4], [0.2, 3, 2.4]),
            polyline([3, 3, 1.4], [3.8, 3, 2.4]),
          ])}
        />
      </g>
      <Person feet={at(5.6, -0.6)} pose="call" hair="bun" apron>
        <path className="d-k" d="M-13-84h4v12h-4z" />
      </Person>
      <Phone from={[0, 0, -40]} />
      <Lettering text="?" on="flat" from={[76, -104]} scale={4} />
    </>
  );
}
