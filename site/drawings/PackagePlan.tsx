import type { ReactNode } from 'react';
import { packages } from '../content/packages.ts';
import { NewLine } from './parts/annotations.tsx';
import { Belt, Counter, WORK_HEIGHT } from './parts/belt-and-benches.tsx';
import { Box, Parcel } from './parts/boxes.tsx';
import { Floor } from './parts/floor.tsx';
import { BOOK, Person } from './parts/person.tsx';
import { Rack } from './parts/rack.tsx';
import { onBand, Sheet } from './parts/sheet.tsx';
import { OpenVan } from './parts/van.tsx';
import { at, type Corner, onPlane, pathData, polyline, rightFace, short, topFace } from './projection.ts';

const Z = WORK_HEIGHT;

/**
 * One small floor, drawn with few, large objects, since phones show it the size of a thumb: mapped, counted, redrawn,
 * seen on a board, and running by itself.
 */
const STEPS = [Mapped, Counted, Redrawn, Seen, Running];

/** The floor after each step. Two to five packages share these: each one goes further, and the last has all. */
export const packagePlans = {
  'package-1': plan(1),
  'package-2': plan(2),
  'package-3': plan(3),
  'package-4': plan(4),
  'package-5': plan(5),
};

/** The plan of a stage. The popular one's sheet is blue, and so is its plan. */
export function packagePlan(stage: number, of: number) {
  return `package-${Math.round((stage * STEPS.length) / of)}` as keyof typeof packagePlans;
}

function plan(step: number) {
  const Step = STEPS[step - 1] ?? Running;
  const { items } = packages;
  const isOnBand = items.some(
    ({ popular }, at) => popular && packagePlan(at + 1, items.length) === `package-${step}`,
  );
  return (
    <Sheet view={[step < 5 ? -146 : -112, -124, 320, 302]} className={isOnBand ? 'd-band' : ''}>
      {isOnBand && <style>{onBand('.d-band')}</style>}
      {step > 1 && step < 5 && <use href="#floor" />}
      <Step />
    </Sheet>
  );
}

/** Where the work goes: out of its way, from stop to stop. */
const WAY: readonly Corner[] = [
  [0, 7.6, 0],
  [3.2, 7.6, 0],
  [3.2, 4.6, 0],
  [9, 4.6, 0],
  [9, 7.2, 0],
  [6, 7.2, 0],
  [6, 9, 0],
];

/** A pin's digits, on paper. */
const DIGITS = ['m-3-4 4-3V8', 'M-4-4q1-4 4-4t4 4q0 3-8 11h9', 'M-4-7h8l-5 6q5 0 5 4t-4 4-4-2'];

/** A spot on the floor, and what it's called in the list. */
function Pin({ at: [x, y], digit }: { at: readonly [number, number]; digit: number }) {
  const [left, top] = at(x, y, 3.4);
  return (
    <g transform={`translate(${short(left)} ${short(top)})`}>
      <path strokeWidth="2.5" d="M0 0v54" />
      <circle className="d-k" r="15" />
      <path stroke="var(--sheet)" strokeWidth="3" d={DIGITS[digit - 1]} />
    </g>
  );
}

/** The route that the work takes, walked, and every stop on it with its number. */
function Mapped() {
  return (
    <>
      <g id="floor">
        <Floor w={11} d={9} />
      </g>
      <path className="d-h" d={pathData([topFace([0.8, 0.4, 0], 8, 2.6)])} />
      <g id="way">
        <path className="d-h" strokeWidth="3" d={pathData([polyline(...WAY)])} />
        <Pin at={[0.8, 7.6]} digit={1} />
        <Pin at={[3.2, 4.6]} digit={2} />
        <Pin at={[9, 4.6]} digit={3} />
        <Person feet={at(8.4, 8)} pose="read" hair="bun" />
      </g>
    </>
  );
}

/** And the stock on the shelf is counted. */
function Counted() {
  return (
    <>
      <defs>
        <g id="box">
          <Parcel from={[0, 0, 0]} />
        </g>
      </defs>
      <Rack from={[0.8, 0.4]} length={8} rows={['2122', '1221', '1112']} parcel="box" />
      <use href="#way" />
    </>
  );
}

/** One straight line, on the board and on the floor. */
function Redrawn() {
  return (
    <>
      <Board>
        <path className="d-h" strokeWidth="2" d="M12 68V52h22V28h32v22h22V20" />
        <path className="d-n d-a" d="M14 42h74M76 30l12 12-12 12" />
      </Board>
      <g id="line">
        <Person feet={at(4.4, 2.4)} pose="work" hair="cap" apron />
        <Person feet={at(9.4, 3)} pose="carry" hair="bun" />
        <Belt from={[0, 3.8]} length={11} />
        <Counter from={[3.6, 3.2]} size={[3.4, 3.4]} />
        {[0.6, 4.4, 8].map((x) => (
          <Parcel key={x} from={[x, 4.1, Z]} />
        ))}
        <NewLine
          through={[
            [0.2, 7.8, 0],
            [10.6, 7.8, 0],
          ]}
        />
      </g>
    </>
  );
}

/** And the numbers of the week above it. */
function Seen() {
  return (
    <>
      <Numbers />
      <use href="#line" />
    </>
  );
}

/** A board on two feet, with a flat drawing on it: 103 by 86. */
function Board({ children }: { children: ReactNode }) {
  return (
    <>
      <path strokeWidth="5" d={pathData([1.6, 5.4].map((x) => polyline([x, 1, 0], [x, 1, 3])))} />
      <Box from={[0.4, 0.6, 2.6]} size={[6.4, 0.4, 5.4]} />
      <g transform={onPlane('left', at(0.4, 1, 8))}>
        <path className="d-p" d="M5 5h93v77H5z" />
        {children}
      </g>
    </>
  );
}

/** Large enough to read from across the room. */
function Numbers() {
  return (
    <Board>
      <path className="d-k" d="M14 72V52h14v20zM35 72V40h14v32zM56 72V28h14v44zM77 72V14h14v58z" />
    </Board>
  );
}

/** Work that moves by itself, through a machine and into the van, and time to read. A little smaller, for the van. */
function Running() {
  const far = 5.2;
  return (
    <g strokeWidth="1.75" transform="translate(8 2)scale(.86)">
      <use href="#floor" />
      <g transform="translate(-17 -10)">
        <Numbers />
      </g>
      <OpenVan from={[5.4, -5.4]} />
      {/* The floor's edge, over the van's shadow */}
      <path d={pathData([polyline([8.9, 0, 0], [11, 0, 0])])} />
      <Parcel from={[6.4, 3.2, 1.3]} />
      <Belt from={[6.4, 5.6]} length={far - 3.4} along="y" />
      <Belt from={[-0.6, far]} length={9.2} />
      <Parcel from={[-0.4, far + 0.3, Z]} />
      <Box from={[1.6, far - 0.6, 0]} size={[2.6, 3.4, 5.4]} />
      <path className="d-k" d={pathData([rightFace([4.2, far, Z], 2.2, 1.9)])} />
      <path className="d-k" transform={onPlane('left', at(2.4, far + 2.8, 4.5))} d="M0 0v22l17-11z" />
      {[4.1, 6.7].map((x) => (
        <Parcel key={x} from={[x, far + 0.3, Z]} />
      ))}
      <Person feet={at(9.6, 8.2)} pose="read" tool="" hair="cap">
        <path className="d-p" d={BOOK} />
      </Person>
    </g>
  );
}
